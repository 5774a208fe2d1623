/**
 * The port that sends deliveries again: one delivery by a manual retry, or all failed deliveries by a recovery job. A
 * job runs in small transactions.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { EventId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Receiver } from "./CircuitBreaker.ts"
import type { DeliveryState } from "./Delivery.ts"
import type { DeliveryScheduleChange, QueueState } from "./DeliveryPlan.ts"

/** The period of the events, from `since` (inclusive) to `until` (exclusive). */
export interface EventPeriod {
  readonly since: Instant
  readonly until: Instant
}

export interface RecoveryJob extends EventPeriod {
  readonly id: string
  readonly webhookId: WebhookId
  /** If true, the job also queues the deliveries that were held at the time of the request. */
  readonly held: boolean
  readonly askedAt: Instant
}

export class RedeliveryStore extends Context.Service<
  RedeliveryStore,
  {
    /**
     * Calls `decide` with the delivery's queue state under its webhook's lock, and stores the result with the audit
     * entry. If `decide` returns null, nothing changes. The receiver becomes the result of `begin`. Returns false when
     * no such delivery of an event since `since` exists.
     */
    readonly queue: (
      named: { readonly webhookId: WebhookId; readonly eventId: EventId; readonly since: Instant },
      at: Instant,
      decide: (present: QueueState) => DeliveryScheduleChange | null,
      audit: AuditEntry,
      begin: (receiver: Receiver) => Receiver
    ) => Effect.Effect<boolean>
    /** Counts the webhook's deliveries in this state with an index-only query. */
    readonly count: (webhookId: WebhookId, state: DeliveryState, period: EventPeriod) => Effect.Effect<number>
    /**
     * Stores a recovery job. If the webhook already has an unstarted job with an overlapping period, the store extends
     * the period of that job instead.
     */
    readonly open: (recovery: RecoveryJob, audit: AuditEntry) => Effect.Effect<void>
    /**
     * Processes up to `limit` deliveries of the open job that has waited longest, oldest event first. Failed deliveries
     * get a new schedule, and held deliveries become due now. The same transaction stores the job's position, so an
     * interrupted job can continue. Before the first step, the receiver becomes the result of `begin`.
     */
    readonly step: (
      at: Instant,
      limit: number,
      begin: (receiver: Receiver) => Receiver
    ) => Effect.Effect<Option.Option<number>>
  }
>()("@partner-commentary/core/webhook/RedeliveryStore") {}
