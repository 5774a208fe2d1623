/** The port that sends an event to a receiver's server and blocks addresses that are not public. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface WebhookRequest {
  readonly url: string
  /**
   * The header names are lower-case and include `content-type`. The transport itself sets `host`, `content-length` and
   * `accept-encoding`.
   */
  readonly headers: Readonly<Record<string, string>>
  /** The request body, which the transport sends byte for byte as UTF-8. */
  readonly body: string
  /** The timeout covers the time from the DNS look-up to the last byte of the response. */
  readonly timeout: Duration.Duration
}

/** Any HTTP response, complete or truncated. The caller decides whether the status is a success. */
export interface WebhookAnswer {
  readonly status: number
  /** The value of the `Retry-After` header, unparsed; null when the header is absent. */
  readonly retryAfter: string | null
  /**
   * The first KiB of the response body as text, without NUL characters. A replacement character stands for invalid
   * UTF-8.
   */
  readonly excerpt: string
}

/**
 * The reason why no response arrived. `blocked`: the URL or its address is not allowed. `refused`: the server could not
 * be reached. `reset`: the connection broke before the end of the response. `http`: the response was not HTTP.
 */
export const TransportFailure = Schema.Literals(["dns", "refused", "reset", "tls", "timeout", "http", "blocked"])
export type TransportFailure = typeof TransportFailure.Type

export class WebhookNotSent extends Schema.TaggedError<WebhookNotSent>()("WebhookNotSent", {
  failure: TransportFailure,
  /** The reason of the failure, as a sentence for the partner. The sentence contains no internal addresses. */
  reason: Schema.String
}) {}

/** The URL is not allowed for webhooks. */
export class WebhookUrlRefused extends Schema.TaggedError<WebhookUrlRefused>()("WebhookUrlRefused", {
  /** Describes the problem for the partner, for example `must be an https: address`. */
  constraint: Schema.String
}) {}

export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /**
     * Makes one attempt without redirects or retries. `send` checks the IP address of the receiver, and connects only
     * to public addresses.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookAnswer, WebhookNotSent>
    /**
     * Checks a URL at registration or change. `check` rejects a name that resolves to an address that is not public.
     * `check` accepts a name that does not resolve.
     */
    readonly check: (url: string) => Effect.Effect<void, WebhookUrlRefused>
  }
>()("@partner-commentary/core/webhook/WebhookTransport") {}
