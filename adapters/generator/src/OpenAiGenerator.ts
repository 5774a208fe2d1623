/**
 * Commentaries from any OpenAI-compatible server. One call is one request: retrying is the core's, what is asked
 * and what is accepted are `Prompt`'s and `CommentaryText`'s. The `openai` package is loaded by the first call.
 */
import {
  CommentaryGenerator,
  GenerationFailed,
  type GenerationRequest
} from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as ChatAnswer from "./ChatAnswer.ts"
import * as CommentaryText from "./CommentaryText.ts"
import * as Prompt from "./Prompt.ts"

export interface Options {
  /** The server's base URL with its version, such as `https://api.openai.com/v1`. */
  readonly url: string
  /** None (or empty): no `Authorization` header is sent. */
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
  readonly model: string
  /** Over the whole call, to the last byte. 45 seconds unless given, and never more. */
  readonly timeout?: Duration.Duration
}

const longestCall = Duration.seconds(45)
const largestAnswer = 1024 * 1024
const longestReason = 300

const tooLarge = new Error("answer too large")

/** `fetch` whose answers break off beyond `largestAnswer` bytes (after decompression), successes and errors alike. */
const boundedFetch: typeof fetch = (input, init) =>
  fetch(input, init).then((response) => {
    if (response.body === null) return response
    let left = largestAnswer
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        left -= chunk.byteLength
        if (left < 0) controller.error(tooLarge)
        else controller.enqueue(chunk)
      }
    })
    return new Response(response.body.pipeThrough(bound), response)
  })

/** The system's name of a connection failure, such as ` (ECONNREFUSED)`; its message may hold the address and what is in it. */
const failureCode = (cause: unknown, depth = 0): string => {
  if (!(cause instanceof Error) || depth > 4) return ""
  return "code" in cause && typeof cause.code === "string" ? ` (${cause.code})` : failureCode(cause.cause, depth + 1)
}

const temporary = (reason: string) => new GenerationFailed({ permanent: false, reason })

const connect = (options: Options, key: string | undefined, limit: Duration.Duration) =>
  Effect.promise(() => import("openai")).pipe(
    Effect.map(({ APIError, OpenAI }) => {
      // The null values keep ambient OPENAI_* variables of the host from reaching a server that they were not meant for.
      const client = new OpenAI({
        baseURL: options.url,
        apiKey: key ?? "none",
        adminAPIKey: null,
        organization: null,
        project: null,
        defaultHeaders: { Authorization: key === undefined ? null : `Bearer ${key}` },
        maxRetries: 0,
        timeout: Duration.toMillis(limit),
        fetch: boundedFetch,
        fetchOptions: { redirect: "manual" },
        logLevel: "off"
      })
      const failure = (cause: unknown): GenerationFailed => {
        if (cause === tooLarge) return temporary(`the answer is larger than ${largestAnswer} bytes`)
        if (cause instanceof SyntaxError) return temporary("the answer is not JSON")
        if (cause instanceof APIError && cause.status !== undefined)
          return ChatAnswer.refusal(cause.status, cause.error)
        return temporary(`the generator's server could not be reached or broke off${failureCode(cause)}`)
      }
      return (request: GenerationRequest) =>
        Effect.tryPromise({
          try: (signal): Promise<unknown> =>
            client.chat.completions.create(
              { model: options.model, messages: [...Prompt.messages(request)] },
              { signal }
            ),
          catch: failure
        })
    })
  )

/** A reason fit for a log: short, and without the key even where the server's own words hold it (replaced before the cut). */
const loggable =
  (key: string | undefined) =>
  ({ permanent, reason }: GenerationFailed): GenerationFailed => {
    const redacted = key === undefined ? reason : reason.replaceAll(key, "[key]")
    return new GenerationFailed({ permanent, reason: Array.from(redacted).slice(0, longestReason).join("") })
  }

export const layer = (options: Options): Layer.Layer<CommentaryGenerator> =>
  Layer.effect(
    CommentaryGenerator,
    Effect.gen(function* () {
      const limit = Duration.min(options.timeout ?? longestCall, longestCall)
      const key = Option.getOrUndefined(Option.map(options.apiKey, Redacted.value)) || undefined
      const ask = yield* Effect.cached(connect(options, key, limit))
      const generate = Effect.fn("CommentaryGenerator.generate")(function* (request: GenerationRequest) {
        const answer = yield* Effect.flatMap(ask, (send) => send(request))
        const text = yield* Effect.fromResult(ChatAnswer.text(answer))
        return yield* Effect.fromResult(CommentaryText.accept(text, request))
      })
      return CommentaryGenerator.of({
        generate: (request) =>
          generate(request).pipe(
            Effect.timeoutOrElse({
              duration: limit,
              orElse: () => Effect.fail(temporary(`no answer within ${Duration.format(limit)}`))
            }),
            Effect.mapError(loggable(key))
          )
      })
    })
  )
