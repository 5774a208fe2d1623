/** Wire types of deliveries. A delivery sends one event to one webhook in one or more attempts. */
import type { SubscribableEvent } from "./Webhook.ts"
import type { PastEvent } from "./WebhookEvent.ts"
import type { OpenEnum, Timestamp } from "./Wire.ts"

/**
 * The status of a delivery. A `held` delivery waits without attempts until the webhook can receive events. The status
 * is `failed` after all scheduled attempts have failed.
 */
export type DeliveryStatus = "pending" | "held" | "delivered" | "failed"

/** The step at which an attempt failed. */
export type DeliveryFailure = "dns" | "refused" | "reset" | "tls" | "timeout" | "http" | "blocked" | "unsigned"

export interface DeliveryAttempt {
  /**
   * The trigger of the attempt: the schedule, your request, or a probe that tests whether your endpoint works again.
   */
  readonly kind: OpenEnum<"scheduled" | "manual" | "probe">
  readonly at: Timestamp
  readonly duration_ms: number
  /** The HTTP status of the response; null if no response arrived. */
  readonly response_code: number | null
  /** The kind of failure; null if the attempt succeeded. */
  readonly error_class: OpenEnum<DeliveryFailure> | null
  readonly error: string | null
}

/** A delivery attempt with the response of your endpoint. */
export interface AnsweredAttempt extends DeliveryAttempt {
  /** The first KiB of the response body; null if no response arrived. */
  readonly response_excerpt: string | null
}

export interface Delivery {
  /** The id of the delivery: the event's id without `evt_`. */
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly type: OpenEnum<SubscribableEvent>
  readonly topic_id: string
  /**
   * The event's assignment. For an event `topic.completed`, `share_id` identifies the assignment that completed the
   * topic.
   */
  readonly share_id: string
  readonly status: OpenEnum<DeliveryStatus>
  readonly created_at: Timestamp
  /**
   * The time of the next attempt. Null while an attempt is running, while the webhook is paused or disabled, and when
   * no attempt is scheduled.
   */
  readonly next_attempt_at: Timestamp | null
  /** The time of the first successful attempt, or of the final failed attempt. */
  readonly settled_at: Timestamp | null
  readonly attempt_count: number
  /** The last 10 attempts, oldest first. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

export interface DeliveryDetail extends Omit<Delivery, "attempts"> {
  /** The last 100 attempts, oldest first. */
  readonly attempts: ReadonlyArray<AnsweredAttempt>
  /** The event in the form that the webhook receives. */
  readonly payload: PastEvent
}

/** The filter and page size of a list of deliveries. */
export interface ListDeliveriesOptions {
  readonly status?: DeliveryStatus | undefined
  /** The page size, from 1 to 100, by default 20. */
  readonly limit?: number | undefined
  /** The `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined
}

/**
 * The period in which the service created the events to send again. `since` is inclusive and `until` is exclusive.
 * `since` and `until` are ISO 8601 with a time zone.
 */
export interface RecoverWebhook {
  /** The start of the period, within the last 30 days. */
  readonly since: Timestamp
  /** The end of the period, by default the current time. */
  readonly until?: Timestamp
  /** If true, the call only counts the deliveries and sends nothing. */
  readonly dry_run?: boolean
}

/** The number of deliveries that a recovery sends again. */
export interface WebhookRecovery {
  readonly since: Timestamp
  readonly until: Timestamp
  readonly dry_run: boolean
  /** The sum of `failed` and `held`. */
  readonly count: number
  readonly failed: number
  readonly held: number
}
