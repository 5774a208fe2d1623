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
  /** The request body, which is sent as UTF-8. */
  readonly body: string
  /** The timeout of the whole attempt, from the DNS look-up to the last byte of the response. */
  readonly timeout: Duration.Duration
}

/** An HTTP response, which may be truncated. The caller decides what the HTTP status means. */
export interface WebhookResponse {
  readonly status: number
  /** The unparsed value of the `Retry-After` header; null when the header is absent. */
  readonly retryAfter: string | null
  /**
   * The first KiB of the response body as text without NUL characters. Invalid UTF-8 becomes replacement characters.
   */
  readonly excerpt: string
}

/**
 * The reason why no response arrived. `blocked` means a forbidden URL or address, and `refused` an unreachable server.
 * `reset` means a connection that broke before the end of the response, and `http` a response that is not HTTP.
 */
export const WebhookTransportFailure = Schema.Literals(["dns", "refused", "reset", "tls", "timeout", "http", "blocked"])
export type WebhookTransportFailure = typeof WebhookTransportFailure.Type

export class NoWebhookResponse extends Schema.TaggedError<NoWebhookResponse>()("NoWebhookResponse", {
  failure: WebhookTransportFailure,
  /** The reason for the failure, as a sentence for the partner without internal addresses. */
  reason: Schema.String
}) {}

/** The webhook URL is not allowed. */
export class WebhookUrlRefused extends Schema.TaggedError<WebhookUrlRefused>()("WebhookUrlRefused", {
  /** The violated rule, in words that help the partner to correct the URL, such as `must be an https: address`. */
  constraint: Schema.String
}) {}

export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /**
     * Makes one attempt, without redirects or retries. `send` checks the IP address of the connection and blocks every
     * address that is not public.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookResponse, NoWebhookResponse>
    /**
     * The service calls `check` when a URL is registered or changed. `check` rejects a host name that resolves to a
     * non-public address. A host name that does not resolve is accepted.
     */
    readonly check: (url: string) => Effect.Effect<void, WebhookUrlRefused>
  }
>()("@partner-commentary/core/webhook/WebhookTransport") {}
