/** The port that carries an event to a receiver's server, and keeps us from being sent where no receiver of a partner's lives. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface WebhookRequest {
  readonly url: string
  /** Names in lower case; `content-type` among them. `host`, `content-length` and `accept-encoding` are the transport's. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent byte for byte as its UTF-8. */
  readonly body: string
  /** From the name's look-up to the last byte of the answer. */
  readonly timeout: Duration.Duration
}

/** Any answer at all, complete or longer than is read; whether its status is a success is the caller's to say. */
export interface WebhookAnswer {
  readonly status: number
  /** `Retry-After` as it was sent; null without one. */
  readonly retryAfter: string | null
  /** The first KiB of the answer, as text without NUL; what is cut or no text does not break it. */
  readonly excerpt: string
}

/**
 * Why no answer came. `blocked`: the URL or its address is none that we send to. `refused`: nobody is there, or cannot be reached.
 * `reset`: the connection broke, before or within the answer. `http`: what came was not HTTP.
 */
export const TransportFailure = Schema.Literals(["dns", "refused", "reset", "tls", "timeout", "http", "blocked"])
export type TransportFailure = typeof TransportFailure.Type

export class WebhookNotSent extends Schema.TaggedError<WebhookNotSent>()("WebhookNotSent", {
  failure: TransportFailure,
  /** A sentence for the partner, without addresses of our own network. */
  reason: Schema.String
}) {}

/** Why a URL is none that events may be sent to. */
export class WebhookUrlRefused extends Schema.TaggedError<WebhookUrlRefused>()("WebhookUrlRefused", {
  /** A sentence that a person can act on, such as `must be an https: address`. */
  constraint: Schema.String
}) {}

export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /** One attempt, without redirects. Refuses at the dial itself what is not a public address. Never retries. */
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookAnswer, WebhookNotSent>
    /** Asked when a URL is registered or changed. A name that does not resolve is accepted; one that resolves to a non-public address is not. */
    readonly check: (url: string) => Effect.Effect<void, WebhookUrlRefused>
  }
>()("@partner-commentary/core/webhook/WebhookTransport") {}
