/** The port that sends deliveries again: one by a manual retry, or all failed ones as a job of small transactions. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { EventId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Receiver } from "./CircuitBreaker.ts"
import type { DeliveryState } from "./Delivery.ts"
import type { DeliveryScheduleChange, QueueState } from "./DeliveryPlan.ts"

/** Events from `since` until before `until`. */
export interface EventPeriod {
  readonly since: Instant
  readonly until: Instant
}

export interface RecoveryJob extends EventPeriod {
  readonly id: string
  readonly webhookId: WebhookId
  /** The job also queues deliveries that were held when it was requested. */
  readonly held: boolean
  readonly askedAt: Instant
}

export class RedeliveryStore extends Context.Service<
  RedeliveryStore,
  {
    /**
     * Calls `decide` with the delivery's queue state under its webhook's lock, and stores the result with the audit
     * entry. If `decide` returns null, nothing changes. The receiver becomes the result of `begin`. Returns false
     * when no such delivery of an event since `since` exists.
     */
    readonly queue: (
      named: { readonly webhookId: WebhookId; readonly eventId: EventId; readonly since: Instant },
      at: Instant,
      decide: (present: QueueState) => DeliveryScheduleChange | null,
      audit: AuditEntry,
      begin: (receiver: Receiver) => Receiver
    ) => Effect.Effect<boolean>
    /** Returns the number of the webhook's deliveries in this state, by an index-only query. */
    readonly count: (webhookId: WebhookId, state: DeliveryState, period: EventPeriod) => Effect.Effect<number>
    /**
     * Stores a recovery job. If the webhook has an unstarted job with an overlapping period, that job's period is
     * extended instead.
     */
    readonly open: (recovery: RecoveryJob, audit: AuditEntry) => Effect.Effect<void>
    /**
     * Advances the open job that has waited longest by up to `limit` deliveries, oldest event first. Failed deliveries
     * get a new schedule, and held deliveries are due now. The job's position is stored in the same transaction, so
     * that an interrupted job can continue. The receiver becomes the result of `begin` before the
     * first step.
     */
    readonly step: (
      at: Instant,
      limit: number,
      begin: (receiver: Receiver) => Receiver
    ) => Effect.Effect<Option.Option<number>>
  }
>()("@partner-commentary/core/webhook/RedeliveryStore") {}
