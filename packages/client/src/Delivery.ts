/** Deliveries as they go over the wire: one event on its way to one webhook, and what was tried. */
import type { SubscribableEvent } from "./Webhook.ts"
import type { Open, Timestamp } from "./Wire.ts"

/** `held`: it waits for its webhook, and spends no attempt. `failed`: its attempts are used up. */
export type DeliveryStatus = "pending" | "held" | "delivered" | "failed"

/** How far an attempt got that failed. */
export type DeliveryFailure = "dns" | "refused" | "reset" | "tls" | "timeout" | "http" | "blocked" | "unsigned"

export interface DeliveryAttempt {
  /** By the schedule, asked for by you, or to see whether your endpoint is back. */
  readonly kind: Open<"scheduled" | "manual" | "probe">
  readonly at: Timestamp
  readonly duration_ms: number
  /** Null when no answer came. */
  readonly response_code: number | null
  /** Null when it succeeded. */
  readonly error_class: Open<DeliveryFailure> | null
  readonly error: string | null
}

/** An attempt with what your endpoint answered. */
export interface AnsweredAttempt extends DeliveryAttempt {
  /** The first KiB; null when none came. */
  readonly response_excerpt: string | null
}

export interface Delivery {
  /** The event's, without `evt_`. */
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly type: Open<SubscribableEvent>
  readonly topic_id: string
  readonly share_id: string
  readonly status: Open<DeliveryStatus>
  readonly created_at: Timestamp
  /** Null while an attempt is under way, while the webhook is paused or disabled, and when none is planned. */
  readonly next_attempt_at: Timestamp | null
  /** When it first arrived, or was given up. */
  readonly settled_at: Timestamp | null
  readonly attempt_count: number
  /** The last 10, oldest first. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

export interface DeliveryDetail extends Omit<Delivery, "attempts"> {
  /** The last 100, oldest first. */
  readonly attempts: ReadonlyArray<AnsweredAttempt>
}

/** Which deliveries, and how many at a time. */
export interface ListDeliveries {
  readonly status?: DeliveryStatus | undefined
  /** Of a page: 1 to 100, 20 where it is left out. */
  readonly limit?: number | undefined
  /** `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined
}

/** Events from `since` on and before `until`, by when they happened: ISO 8601 with a zone. */
export interface RecoverWebhook {
  /** Within the last 30 days. */
  readonly since: Timestamp
  /** Now, where it is left out. */
  readonly until?: Timestamp
  /** Counts only. */
  readonly dry_run?: boolean
}

/** What a recovery sends again. */
export interface Recovery {
  readonly since: Timestamp
  readonly until: Timestamp
  readonly dry_run: boolean
  /** `failed` and `held` together. */
  readonly count: number
  readonly failed: number
  readonly held: number
}
