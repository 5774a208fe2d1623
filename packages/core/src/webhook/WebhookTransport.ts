/** The port that sends an event to a receiver's server and blocks addresses that are not public. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface WebhookRequest {
  readonly url: string
  /** Lower-case names, including `content-type`. The transport sets `host`, `content-length` and `accept-encoding`. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent byte for byte as UTF-8. */
  readonly body: string
  /** From the DNS look-up to the last byte of the response. */
  readonly timeout: Duration.Duration
}

/** Any HTTP response, complete or cut. The caller judges its status. */
export interface WebhookAnswer {
  readonly status: number
  /** The `Retry-After` header as sent; null when absent. */
  readonly retryAfter: string | null
  /** The first KiB of the response as text without NUL. Invalid UTF-8 is replaced. */
  readonly excerpt: string
}

/**
 * Why no response arrived. `blocked`: the URL or its address is not allowed. `refused`: the server could not be
 * reached. `reset`: the connection broke before the end of the response. `http`: the response was not HTTP.
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
     * One attempt, without redirects or retries. Checks the address that it connects to, and blocks it unless it is
     * public.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookAnswer, WebhookNotSent>
    /**
     * Called when a URL is registered or changed. Rejects a name that resolves to a non-public address; a name that
     * does not resolve is accepted.
     */
    readonly check: (url: string) => Effect.Effect<void, WebhookUrlRefused>
  }
>()("@partner-commentary/core/webhook/WebhookTransport") {}
