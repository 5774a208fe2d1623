/**
 * A connection to any OpenAI-compatible server: bounded in time and size, one request for each call, and refusals without
 * credentials. What is asked is its users'. The `openai` package is loaded by the first call.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { OpenAI } from "openai"
import { loggable, type Refusal, refusal } from "./Refusal.ts"

export interface Server {
  /** The server's base URL with its version, such as `https://api.openai.com/v1`. */
  readonly url: string
  /** None (or empty): no `Authorization` header is sent. */
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
}

export interface Bounds {
  /** Over a whole call, to the last byte. */
  readonly time: Duration.Duration
  /** Of one answer in bytes, after decompression, successes and errors alike. */
  readonly size: number
}

export interface Connection {
  /** One request; interrupted, it is aborted. Its time is bounded by `within`. */
  readonly ask: <A>(request: (client: OpenAI, signal: AbortSignal) => Promise<A>) => Effect.Effect<A, Refusal>
  /** Bounds the whole of what is made of answers, and makes its refusals fit for a log. */
  readonly within: <A>(work: Effect.Effect<A, Refusal>) => Effect.Effect<A, Refusal>
}

const tooLarge = new Error("answer too large")

/** `fetch` whose answers break off beyond so many bytes. */
const boundedFetch =
  (size: number): typeof fetch =>
  (input, init) =>
    fetch(input, init).then((response) => {
      if (response.body === null) return response
      let left = size
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

export const temporary = (reason: string): Refusal => ({ permanent: false, reason })

const open = (server: Server, key: string | undefined, { size, time }: Bounds) =>
  Effect.promise(() => import("./OpenAiClient.ts")).pipe(
    Effect.map(({ isAnswer, make }) => {
      // The null values keep ambient OPENAI_* variables of the host from reaching a server that they were not meant for.
      const client = make({
        baseURL: server.url,
        apiKey: key ?? "none",
        adminAPIKey: null,
        organization: null,
        project: null,
        defaultHeaders: { Authorization: key === undefined ? null : `Bearer ${key}` },
        maxRetries: 0,
        // Ours ends it first, and says so.
        timeout: Duration.toMillis(time) + 5000,
        fetch: boundedFetch(size),
        fetchOptions: { redirect: "manual" },
        logLevel: "off"
      })
      const refused = (cause: unknown): Refusal => {
        if (cause === tooLarge) return temporary(`the answer is larger than ${size} bytes`)
        if (cause instanceof SyntaxError) return temporary("the answer is not JSON")
        if (isAnswer(cause)) return refusal(cause.status, cause.error)
        return temporary(`the server could not be reached or broke off${failureCode(cause)}`)
      }
      return { client, refused }
    })
  )

export const connect = Effect.fnUntraced(function* (server: Server, bounds: Bounds) {
  const key = Option.getOrUndefined(Option.map(server.apiKey, Redacted.value)) || undefined
  const opened = yield* Effect.cached(open(server, key, bounds))
  return {
    ask: (request) =>
      Effect.flatMap(opened, ({ client, refused }) =>
        Effect.tryPromise({ try: (signal) => request(client, signal), catch: refused })
      ),
    within: (work) =>
      work.pipe(
        Effect.timeoutOrElse({
          duration: bounds.time,
          orElse: () => Effect.fail(temporary(`no answer within ${Duration.format(bounds.time)}`))
        }),
        Effect.mapError(loggable(key))
      )
  } satisfies Connection
})
