/** The port that sends an event to a receiver's server and blocks addresses that are not public. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface WebhookRequest {
  readonly url: string
  /**
   * Header names are lower-case and include `content-type`. The transport sets `host`, `content-length` and
   * `accept-encoding`.
   */
  readonly headers: Readonly<Record<string, string>>
  /** The body is sent byte for byte as UTF-8. */
  readonly body: string
  /** The timeout covers the time from the DNS look-up to the last byte of the response. */
  readonly timeout: Duration.Duration
}

/** Any HTTP response, whether complete or truncated. The caller decides what the status means. */
export interface WebhookAnswer {
  readonly status: number
  /** The value of the `Retry-After` header as sent; null when absent. */
  readonly retryAfter: string | null
  /** The first KiB of the response as text without NUL characters. Invalid UTF-8 is replaced. */
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
  /** A sentence for the partner, without internal addresses. */
  reason: Schema.String
}) {}

/** The URL is not allowed for webhooks. */
export class WebhookUrlRefused extends Schema.TaggedError<WebhookUrlRefused>()("WebhookUrlRefused", {
  /** A sentence that the partner can act on, such as `must be an https: address`. */
  constraint: Schema.String
}) {}

export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /**
     * Makes one attempt, without redirects or retries. `send` checks the address that it connects to, and blocks it
     * unless it is public.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookAnswer, WebhookNotSent>
    /**
     * The service calls `check` when a URL is registered or changed. `check` rejects a name that resolves to a
     * non-public address. A name that does not resolve is accepted.
     */
    readonly check: (url: string) => Effect.Effect<void, WebhookUrlRefused>
  }
>()("@partner-commentary/core/webhook/WebhookTransport") {}
