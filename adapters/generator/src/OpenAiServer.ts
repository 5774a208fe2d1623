/**
 * A connection to any OpenAI-compatible server: limits on time and size, no retries, and refusals without credentials.
 * Callers choose the request and decode the answer.
 */
import { limited } from "@partner-commentary/core/shared/ResponseLimit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
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
  /** Sends one request, its path relative to the server's URL. Interruption aborts it; `within` limits its time. */
  readonly ask: <A>(request: HttpClientRequest.HttpClientRequest, read: Read<A>) => Effect.Effect<A, Refusal>
  /** Limits the time of all requests of one call, and makes the refusal safe to log. */
  readonly within: <A>(work: Effect.Effect<A, Refusal>) => Effect.Effect<A, Refusal>
}

type Read<A> = (response: HttpClientResponse) => Effect.Effect<A, HttpClientError | Refusal>

const tooLarge = new Error("answer too large")

/** The system's name of a connection failure, such as ` (ECONNREFUSED)`; its message may hold the address and what is in it. */
const failureCode = (cause: unknown, depth = 0): string => {
  if (!(cause instanceof Error) || depth > 4) return ""
  return "code" in cause && typeof cause.code === "string" ? ` (${cause.code})` : failureCode(cause.cause, depth + 1)
}

export const temporary = (reason: string): Refusal => ({ permanent: false, reason })

const accepted: Read<HttpClientResponse> = (response) =>
  response.status >= 200 && response.status < 300
    ? Effect.succeed(response)
    : Effect.flatMap(errorIn(response), (error) => Effect.fail(refusal(response.status, error)))

/** What an error answer holds under `error`. Undefined: its body is too large, breaks off or is not JSON. */
const errorIn = (response: HttpClientResponse): Effect.Effect<unknown> =>
  Effect.match(response.json, {
    onFailure: () => undefined,
    onSuccess: (body) => (body as { readonly error?: unknown } | null)?.error
  })

const jsonType = /^application\/(?:[^;]*\+)?json\b/i

/** Undefined: a successful answer that does not claim to be JSON. */
export const json: Read<unknown> = (response) =>
  Effect.flatMap(accepted(response), ({ headers, json }) =>
    jsonType.test(headers["content-type"] ?? "") ? json : Effect.undefined
  )

export const bytes: Read<Uint8Array> = (response) =>
  Effect.flatMap(accepted(response), ({ arrayBuffer }) => Effect.map(arrayBuffer, (buffer) => new Uint8Array(buffer)))

/** `fetch` follows no redirect, which would take the key elsewhere. */
const httpClient = (size: number) =>
  FetchHttpClient.layer.pipe(
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
    Layer.provide(
      Layer.succeed(FetchHttpClient.Fetch, (input, init) => fetch(input, init).then(limited(size, tooLarge)))
    )
  )

export const connect = Effect.fnUntraced(function* (server: Server, { size, time }: Bounds) {
  const key = Option.getOrUndefined(Option.map(server.apiKey, Redacted.value)) || undefined
  // `withScope`: closing the request's scope also aborts an answer that is half read.
  const client = HttpClient.withScope(yield* Effect.provide(HttpClient.HttpClient, httpClient(size)))

  const addressed = (request: HttpClientRequest.HttpClientRequest) => {
    const whole = HttpClientRequest.prependUrl(request, server.url)
    return key === undefined ? whole : HttpClientRequest.bearerToken(whole, key)
  }

  const refused = (failure: HttpClientError | Refusal): Refusal => {
    if (!("_tag" in failure)) return failure
    const { cause } = failure
    if (cause === tooLarge) return temporary(`the answer is larger than ${size} bytes`)
    if (cause instanceof SyntaxError) return temporary("the answer is not JSON")
    return temporary(`the server could not be reached or broke off${failureCode(cause)}`)
  }

  return {
    ask: (request, read) =>
      client.execute(addressed(request)).pipe(
        Effect.flatMap(read),
        Effect.scoped,
        Effect.mapError(refused),
        // No trace headers for a server that is not ours.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
      ),
    within: (work) =>
      work.pipe(
        Effect.timeoutOrElse({
          duration: time,
          orElse: () => Effect.fail(temporary(`no answer within ${Duration.format(time)}`))
        }),
        Effect.mapError(loggable(key))
      )
  } satisfies Connection
})
