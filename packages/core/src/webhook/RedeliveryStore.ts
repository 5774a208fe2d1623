/**
 * The port that queues deliveries again. A manual retry queues one delivery. A recovery job queues all failed
 * deliveries in small transactions.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { EventId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { ReceiverState } from "./CircuitBreaker.ts"
import type { StoredDeliveryState } from "./Delivery.ts"
import type { DeliveryScheduleChange, QueuedDeliveryState } from "./DeliveryPlan.ts"

/** The period in which events happened. `since` is inclusive and `until` is exclusive. */
export interface EventPeriod {
  readonly since: Instant
  readonly until: Instant
}

export interface WebhookRecoveryJob extends EventPeriod {
  readonly id: string
  readonly webhookId: WebhookId
  /** If true, the recovery job also queues deliveries that were held at the time of the request. */
  readonly held: boolean
  readonly askedAt: Instant
}

export class RedeliveryStore extends Context.Service<
  RedeliveryStore,
  {
    /**
     * Calls `decide` with the delivery's queue state while it holds the webhook's lock, and stores the result with the
     * audit entry. If `decide` returns null, the delivery and the audit log stay unchanged. Whatever `decide` returns,
     * the store replaces the receiver's state with the result of `begin`. `queue` returns false if the webhook has no
     * delivery of this event, or the event is older than `since`.
     */
    readonly queue: (
      named: { readonly webhookId: WebhookId; readonly eventId: EventId; readonly since: Instant },
      at: Instant,
      decide: (present: QueuedDeliveryState) => DeliveryScheduleChange | null,
      audit: AuditEntry,
      begin: (receiver: ReceiverState) => ReceiverState
    ) => Effect.Effect<boolean>
    /**
     * Returns the number of a webhook's deliveries in one state. The store counts deliveries with an index-only query.
     */
    readonly count: (webhookId: WebhookId, state: StoredDeliveryState, period: EventPeriod) => Effect.Effect<number>
    /**
     * Stores a recovery job. If the webhook already has an unstarted job with an overlapping period, the store extends
     * the period of that job instead.
     */
    readonly open: (recovery: WebhookRecoveryJob, audit: AuditEntry) => Effect.Effect<void>
    /**
     * Queues up to `limit` deliveries of the open job that has waited longest, oldest event first. Failed deliveries
     * get a new schedule, and held deliveries are due now. The store writes the recovery job's position in the same
     * transaction as the deliveries, so an interrupted job can continue. In the first step of a recovery job, the store
     * replaces the receiver's state with the result of `begin`. Returns the number of queued deliveries; none if no job
     * is open.
     */
    readonly step: (
      at: Instant,
      limit: number,
      begin: (receiver: ReceiverState) => ReceiverState
    ) => Effect.Effect<Option.Option<number>>
    /** Returns the time since which an open recovery job has waited for its next step; none when no job is open. */
    readonly nextDue: Effect.Effect<Option.Option<Instant>>
  }
>()("@partner-commentary/core/webhook/RedeliveryStore") {}
