/** Wire types of deliveries: one event for one webhook, with its attempts. */
import type { SubscribableEvent } from "./Webhook.ts"
import type { PastEvent } from "./WebhookEvent.ts"
import type { Open, Timestamp } from "./Wire.ts"

/** `held`: the delivery waits for its webhook, without attempts. `failed`: all scheduled attempts failed. */
export type DeliveryStatus = "pending" | "held" | "delivered" | "failed"

/** The step at which an attempt failed. */
export type DeliveryFailure = "dns" | "refused" | "reset" | "tls" | "timeout" | "http" | "blocked" | "unsigned"

export interface DeliveryAttempt {
  /** What caused the attempt: the schedule, your request, or a test whether your endpoint works again. */
  readonly kind: Open<"scheduled" | "manual" | "probe">
  readonly at: Timestamp
  readonly duration_ms: number
  /** Null if no response arrived. */
  readonly response_code: number | null
  /** Null if the attempt succeeded. */
  readonly error_class: Open<DeliveryFailure> | null
  readonly error: string | null
}

/** An attempt with your endpoint's response. */
export interface AnsweredAttempt extends DeliveryAttempt {
  /** The first KiB of the response; null when none arrived. */
  readonly response_excerpt: string | null
}

export interface Delivery {
  /** The event's id without `evt_`. */
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly type: Open<SubscribableEvent>
  readonly topic_id: string
  /** For `topic.completed` this is the persona that came last. */
  readonly share_id: string
  readonly status: Open<DeliveryStatus>
  readonly created_at: Timestamp
  /** Null while an attempt is in flight, while the webhook is paused or disabled, and if no attempt is scheduled. */
  readonly next_attempt_at: Timestamp | null
  /** The time at which the event first arrived, or the last attempt failed. */
  readonly settled_at: Timestamp | null
  readonly attempt_count: number
  /** The last 10 attempts, oldest first. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

export interface DeliveryDetail extends Omit<Delivery, "attempts"> {
  /** The last 100 attempts, oldest first. */
  readonly attempts: ReadonlyArray<AnsweredAttempt>
  /** The event in the form in which it is sent. */
  readonly payload: PastEvent
}

/** Filter and page size. */
export interface ListDeliveries {
  readonly status?: DeliveryStatus | undefined
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined
}

/** Events that happened from `since` until before `until`: ISO 8601 with a time zone. */
export interface RecoverWebhook {
  /** The time must be within the last 30 days. */
  readonly since: Timestamp
  /** Default: now. */
  readonly until?: Timestamp
  /** With `dry_run`, the call only counts the deliveries. */
  readonly dry_run?: boolean
}

/** The number of deliveries that a recovery sends again. */
export interface Recovery {
  readonly since: Timestamp
  readonly until: Timestamp
  readonly dry_run: boolean
  /** The sum of `failed` and `held`. */
  readonly count: number
  readonly failed: number
  readonly held: number
}
