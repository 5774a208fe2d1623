/** Wire types of webhooks. The module WebhookEvent defines the types of events. */
import type { OpenEnum, Timestamp } from "./Wire.ts"

/** The event types to which a webhook can subscribe. */
export type SubscribableEvent =
  | "creator.approved"
  | "partner.approved"
  | "commentary.failed"
  | "media.ready"
  | "topic.completed"

export interface CreateWebhook {
  /** The URL of your endpoint: an `https:` address that accepts POST requests. */
  readonly url: string
  readonly events: ReadonlyArray<SubscribableEvent>
  /**
   * The signing secret, which is `whsec_` and 24 to 64 bytes in base64, or 32 to 256 printable ASCII characters. By
   * default, the service generates a secret.
   */
  readonly secret?: string
}

/** The fields of a webhook to change. Absent fields stay unchanged. Use `rotateSecret` to replace the secret. */
export interface UpdateWebhook {
  readonly url?: string
  readonly events?: ReadonlyArray<SubscribableEvent>
  readonly status?: "active" | "paused"
}

export interface Webhook {
  readonly id: string
  readonly url: string
  readonly events: ReadonlyArray<OpenEnum<SubscribableEvent>>
  readonly status: OpenEnum<"active" | "paused" | "disabled">
  /** The number of consecutive failed attempts. */
  readonly consecutive_failures: number
  readonly last_delivery_at: Timestamp | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
  /** The reason why the service disabled the webhook; null unless the status is `disabled`. */
  readonly disabled_reason: string | null
  readonly disabled_at: Timestamp | null
  /**
   * The state of the circuit breaker. While the state is `open`, the service holds events. At `open_until` the service
   * tries to send one held event.
   */
  readonly circuit: { readonly state: OpenEnum<"closed" | "open">; readonly open_until: Timestamp | null }
  /** The number of held events, counted up to 1,000. */
  readonly held_count: number
}

/** A new webhook. Only the response to the registration contains `secret`. */
export interface CreatedWebhook extends Webhook {
  readonly secret: string
}

/**
 * A rotation of the secret. During the grace period, events are also signed with the former secret.
 * `grace_period_seconds` is 0 to 604,800, by default 86,400.
 */
export interface RotateWebhookSecret {
  readonly grace_period_seconds?: number
  /** The new secret. By default, the service generates a secret. */
  readonly secret?: string
}

/** The webhook after a rotation of its secret. Only the response to the rotation contains the new `secret`. */
export interface RotatedWebhook extends Webhook {
  readonly secret: string
  /**
   * The end of the grace period, in which events are signed with the old and the new secret; null without a grace
   * period.
   */
  readonly former_secret_expires_at: Timestamp | null
}

export interface DeletedWebhook {
  readonly id: string
  readonly deleted: true
}

/** The result of a test delivery. */
export interface WebhookTest {
  /**
   * True if the test delivery succeeded. If the test delivery fails, the call still resolves, and `success` is false.
   */
  readonly success: boolean
  /** The id of the test event, which is `evt_test_` and a UUID. */
  readonly test_event_id: string
  readonly delivery_status: OpenEnum<"delivered" | "failed">
  /** The HTTP status of the response; null if no response arrived. */
  readonly response_code: number | null
  readonly error: string | null
}
