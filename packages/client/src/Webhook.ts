/** Wire types of webhooks. WebhookEvent has the types of events. */
import type { Open, Timestamp } from "./Wire.ts"

/** Event types that a webhook can subscribe to. */
export type SubscribableEvent =
  | "creator.approved"
  | "partner.approved"
  | "commentary.failed"
  | "media.ready"
  | "topic.completed"

export interface CreateWebhook {
  /** An `https:` address that accepts POST requests. */
  readonly url: string
  readonly events: ReadonlyArray<SubscribableEvent>
  /**
   * The secret is `whsec_` and 24 to 64 bytes in base64, or 32 to 256 printable ASCII characters. By default the
   * service generates a secret.
   */
  readonly secret?: string
}

/** Absent fields stay unchanged. `rotateSecret` replaces the secret. */
export interface UpdateWebhook {
  readonly url?: string
  readonly events?: ReadonlyArray<SubscribableEvent>
  readonly status?: "active" | "paused"
}

export interface Webhook {
  readonly id: string
  readonly url: string
  readonly events: ReadonlyArray<Open<SubscribableEvent>>
  readonly status: Open<"active" | "paused" | "disabled">
  /** The number of consecutive failed attempts. */
  readonly consecutive_failures: number
  readonly last_delivery_at: Timestamp | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
  /** Why the service disabled the webhook; null unless the status is `disabled`. */
  readonly disabled_reason: string | null
  readonly disabled_at: Timestamp | null
  /** While the circuit is `open`, events are held. At `open_until` the service tries to send one of them. */
  readonly circuit: { readonly state: Open<"closed" | "open">; readonly open_until: Timestamp | null }
  /** The number of held events, counted up to 1,000. */
  readonly held_count: number
}

/** A new webhook. Only this response contains `secret`. */
export interface CreatedWebhook extends Webhook {
  readonly secret: string
}

/** The number of seconds for which events are also signed with the former secret: 0 to 604,800. Default: 86,400. */
export interface RotateWebhookSecret {
  readonly grace_period_seconds?: number
  /** By default the service generates a secret. */
  readonly secret?: string
}

/** Only this response contains the new `secret`. */
export interface RotatedWebhook extends Webhook {
  readonly secret: string
  /** Until this time, events are signed with both secrets. Null without a grace period. */
  readonly former_secret_expires_at: Timestamp | null
}

export interface DeletedWebhook {
  readonly id: string
  readonly deleted: true
}

/** The result of a test delivery. */
export interface WebhookTest {
  /** True if the delivery succeeded. False is a test result, not an error. */
  readonly success: boolean
  /** `evt_test_` and a UUID. */
  readonly test_event_id: string
  readonly delivery_status: Open<"delivered" | "failed">
  /** Null if no response arrived. */
  readonly response_code: number | null
  readonly error: string | null
}
