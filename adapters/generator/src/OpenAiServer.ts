/**
 * Connects to any OpenAI-compatible server, with limits on time and size and without retries. Error reasons contain no
 * credentials. The caller provides the request and a function that reads the response.
 */
import { limitResponseSize } from "@partner-commentary/core/shared/ResponseLimit"
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
import { describeErrorResponse, type OpenAiFailure, redactForLog } from "./Refusal.ts"

export interface OpenAiEndpoint {
  /** The base URL of the server with the API version, such as `https://api.openai.com/v1`. */
  readonly url: string
  /** The API key of the server. If the key is absent or empty, the client sends no `Authorization` header. */
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
}

export interface OpenAiCallLimits {
  /** The time limit from the start of a call to the last byte of its last response. */
  readonly time: Duration.Duration
  /**
   * The maximum size of a response in bytes after decompression. The size limit applies to successful responses and to
   * error responses.
   */
  readonly size: number
}

export interface OpenAiConnection {
  /**
   * Sends one request to a path below the URL of the server. An interruption of the effect aborts the request. The
   * method has no time limit, so callers wrap their requests in `withTimeLimit`.
   */
  readonly sendRequest: <A>(
    request: HttpClientRequest.HttpClientRequest,
    read: Read<A>
  ) => Effect.Effect<A, OpenAiFailure>
  /** Limits the total time of the requests in `work`, and removes the API key from the reason of an error. */
  readonly withTimeLimit: <A>(work: Effect.Effect<A, OpenAiFailure>) => Effect.Effect<A, OpenAiFailure>
}

type Read<A> = (response: HttpClientResponse) => Effect.Effect<A, HttpClientError | OpenAiFailure>

const tooLarge = new Error("answer too large")

/**
 * Returns the code of a connection failure, such as ` (ECONNREFUSED)`. The message of the failure is not used, because
 * the message may contain the URL with credentials.
 */
const failureCode = (cause: unknown, depth = 0): string => {
  if (!(cause instanceof Error) || depth > 4) return ""
  return "code" in cause && typeof cause.code === "string" ? ` (${cause.code})` : failureCode(cause.cause, depth + 1)
}

export const makeTemporaryFailure = (reason: string): OpenAiFailure => ({ permanent: false, reason })

const accepted: Read<HttpClientResponse> = (response) =>
  response.status >= 200 && response.status < 300
    ? Effect.succeed(response)
    : Effect.flatMap(errorIn(response), (error) => Effect.fail(describeErrorResponse(response.status, error)))

/**
 * Returns the field `error` of an error response. The result is undefined if the body is too large, incomplete or not
 * JSON.
 */
const errorIn = (response: HttpClientResponse): Effect.Effect<unknown> =>
  Effect.match(response.json, {
    onFailure: () => undefined,
    onSuccess: (body) => (body as { readonly error?: unknown } | null)?.error
  })

const jsonType = /^application\/(?:[^;]*\+)?json\b/i

/**
 * Returns the JSON of a successful response. For a response whose content type is not JSON, the result is undefined.
 */
export const readJson: Read<unknown> = (response) =>
  Effect.flatMap(accepted(response), ({ headers, json }) =>
    jsonType.test(headers["content-type"] ?? "") ? json : Effect.undefined
  )

export const readBytes: Read<Uint8Array> = (response) =>
  Effect.flatMap(accepted(response), ({ arrayBuffer }) => Effect.map(arrayBuffer, (buffer) => new Uint8Array(buffer)))

/** The HTTP client follows no redirects, because a redirect could send the key to another server. */
const httpClient = (size: number) =>
  FetchHttpClient.layer.pipe(
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
    Layer.provide(
      Layer.succeed(FetchHttpClient.Fetch, (input, init) => fetch(input, init).then(limitResponseSize(size, tooLarge)))
    )
  )

export const connectToServer = Effect.fnUntraced(function* (server: OpenAiEndpoint, { size, time }: OpenAiCallLimits) {
  const key = Option.getOrUndefined(Option.map(server.apiKey, Redacted.value)) || undefined
  // With `withScope`, a request is aborted when its scope closes, even while its response is being read.
  const client = HttpClient.withScope(yield* Effect.provide(HttpClient.HttpClient, httpClient(size)))

  const addressed = (request: HttpClientRequest.HttpClientRequest) => {
    const whole = HttpClientRequest.prependUrl(request, server.url)
    return key === undefined ? whole : HttpClientRequest.bearerToken(whole, key)
  }

  const refused = (failure: HttpClientError | OpenAiFailure): OpenAiFailure => {
    if (!("_tag" in failure)) return failure
    const { cause } = failure
    if (cause === tooLarge) return makeTemporaryFailure(`the answer is larger than ${size} bytes`)
    if (cause instanceof SyntaxError) return makeTemporaryFailure("the answer is not JSON")
    return makeTemporaryFailure(`the server could not be reached or broke off${failureCode(cause)}`)
  }

  return {
    sendRequest: (request, read) =>
      client.execute(addressed(request)).pipe(
        Effect.flatMap(read),
        Effect.scoped,
        Effect.mapError(refused),
        // The client sends no trace headers, because the server belongs to another company.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
      ),
    withTimeLimit: (work) =>
      work.pipe(
        Effect.timeoutOrElse({
          duration: time,
          orElse: () => Effect.fail(makeTemporaryFailure(`no answer within ${Duration.format(time)}`))
        }),
        Effect.mapError(redactForLog(key))
      )
  } satisfies OpenAiConnection
})
