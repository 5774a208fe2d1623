/** Webhooks as they go over the wire. What arrives at one is WebhookEvent's. */
import type { Open, Timestamp } from "./Wire.ts"

/** What a webhook can be registered for. */
export type SubscribableEvent = "creator.approved" | "partner.approved" | "commentary.failed"

export interface CreateWebhook {
  /** An `https:` address that takes POST requests. */
  readonly url: string
  readonly events: ReadonlyArray<SubscribableEvent>
  /** `whsec_` and 24 to 64 bytes in base64, or 32 to 256 printable ASCII characters. Left out: one is made for you. */
  readonly secret?: string
}

/** What is left out stays as it is. The secret cannot be changed: register another webhook for another secret. */
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
  /** Failed attempts in a row. */
  readonly consecutive_failures: number
  readonly last_delivery_at: Timestamp | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** A webhook that was just registered. `secret` is shown this once. */
export interface CreatedWebhook extends Webhook {
  readonly secret: string
}

export interface DeletedWebhook {
  readonly id: string
  readonly deleted: true
}

/** What came of a test delivery. */
export interface WebhookTest {
  /** Whether the delivery succeeded: false is an answer, not an error. */
  readonly success: boolean
  /** `evt_test_` and a UUID. */
  readonly test_event_id: string
  readonly delivery_status: Open<"delivered" | "failed">
  /** Null when no response came. */
  readonly response_code: number | null
  readonly error: string | null
}
