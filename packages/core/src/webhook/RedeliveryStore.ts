/** The port that sends deliveries again: one by hand, or all that did not arrive, as a job that is worked off in small changes. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { EventId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Receiver } from "./CircuitBreaker.ts"
import type { DeliveryState } from "./Delivery.ts"
import type { Queued, Requeued } from "./DeliveryPlan.ts"

/** Events from this moment on, and before that one. */
export interface Span {
  readonly since: Instant
  readonly until: Instant
}

export interface Recovery extends Span {
  readonly id: string
  readonly webhookId: WebhookId
  /** What is held is put forward too: it was asked for while the webhook's deliveries were held. */
  readonly held: boolean
  readonly askedAt: Instant
}

export class RedeliveryStore extends Context.Service<
  RedeliveryStore,
  {
    /**
     * Lets `decide` see how a delivery is queued, under its webhook's lock, and queues it as it says, with the record. Null
     * changes nothing of it. `begin` sees the receiver. False when there is no such delivery of an event of `since` or later.
     */
    readonly queue: (
      named: { readonly webhookId: WebhookId; readonly eventId: EventId; readonly since: Instant },
      at: Instant,
      decide: (present: Queued) => Requeued | null,
      audit: AuditEntry,
      begin: (receiver: Receiver) => Receiver
    ) => Effect.Effect<boolean>
    /** How many deliveries of a webhook are in this state, by an index alone. */
    readonly count: (webhookId: WebhookId, state: DeliveryState, span: Span) => Effect.Effect<number>
    /** One whose span touches that of another job of the webhook that was not begun yet widens that one. */
    readonly open: (recovery: Recovery, audit: AuditEntry) => Effect.Effect<void>
    /**
     * The next deliveries, so many at most, of the first open job of the webhook that was longest left alone, oldest event first: what had failed
     * gets its whole schedule anew, what is held and waits for a later moment is due now. The job moves on in the same
     * change, so that one that was broken off goes on where it was. `begin` sees the receiver before the first of them.
     * None when no job is open.
     */
    readonly step: (
      at: Instant,
      limit: number,
      begin: (receiver: Receiver) => Receiver
    ) => Effect.Effect<Option.Option<number>>
  }
>()("@partner-commentary/core/webhook/RedeliveryStore") {}
