/**
 * The port that stores deliveries until they succeed or fail. AssignmentStore inserts deliveries in the transaction
 * that changes the assignment.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { LatestDue } from "../shared/DueTimes.ts"
import type { EventId, OrganizationId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import type { Allowance, Receiver } from "./CircuitBreaker.ts"
import type { ContactNotice } from "./ContactNotice.ts"
import type { AttemptKind, NextDeliveryState, RetryState } from "./DeliveryPlan.ts"
import type { FormerSecret } from "./WebhookSecret.ts"

/** A webhook with due deliveries. */
export interface DueWebhook {
  readonly webhookId: WebhookId
  readonly organizationId: OrganizationId
}

/** A delivery that a worker has claimed and must now send. */
export interface ClaimedDelivery extends RetryState {
  readonly webhookId: WebhookId
  /** The webhook's URL at the time of the claim. */
  readonly url: string
  readonly encryptedSecret: string
  readonly formerSecret: FormerSecret | null
  readonly eventId: EventId
  readonly payload: string
  /** The ticket number increases with every attempt. The store ignores a failure with an outdated ticket. */
  readonly ticket: number
  readonly kind: AttemptKind
}

/** The number of deliveries to claim, and the receiver's state after the claim. */
export interface ClaimPlan {
  /**
   * Returns how many deliveries may be claimed. The arguments are the receiver and its number of deliveries in flight.
   */
  readonly allow: (present: Receiver, inFlight: number) => Allowance
  readonly taken: (present: Receiver, allowance: Allowance, count: number) => Receiver
}

/** A webhook's state before and after an attempt, and the deliveries that the same transaction claimed. */
export interface SettledAttempt {
  readonly before: Receiver
  readonly after: Receiver
  readonly following: ReadonlyArray<ClaimedDelivery>
}

/** The result of an attempt, which the store writes in one transaction. */
export interface Settlement {
  readonly receiver: Receiver
  readonly next: NextDeliveryState
  readonly notice: ContactNotice | null
  readonly audit: Pick<AuditEntry, "action" | "details"> | null
}

export interface DeliveryBacklog {
  /** The number of due deliveries that workers may send now. */
  readonly due: number
  /** The number of pending deliveries whose webhook is inactive or paused. */
  readonly held: number
  /** The number of webhooks with an open circuit breaker. */
  readonly open: number
  /** The number of disabled webhooks. */
  readonly disabled: number
}

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /**
     * Returns active webhooks with due deliveries, the oldest due time first. The result omits webhooks that are paused
     * or have their maximum number of deliveries in flight.
     */
    readonly dueWebhooks: (
      at: Instant,
      inFlightLimit: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DueWebhook>>
    /**
     * Claims due deliveries, oldest first, until the time `lease`. `allow` decides their number under the receiver's
     * lock, so concurrent workers never exceed a limit. Deliveries without a stored result at the end of the lease are
     * due again. An inactive webhook has no claimable deliveries.
     */
    readonly claim: (
      id: WebhookId,
      at: Instant,
      lease: Instant,
      taking: ClaimPlan
    ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>>
    /**
     * Stores the attempt and the result of `decide` under the receiver's lock. A failure with an outdated ticket is
     * recorded and changes nothing else. `following` claims the webhook's next deliveries in the same transaction.
     * Returns none when the webhook was removed.
     */
    readonly settle: (
      claimed: ClaimedDelivery,
      attempt: Attempt,
      at: Instant,
      decide: (present: Receiver) => Settlement,
      following?: { readonly lease: Instant; readonly taking: ClaimPlan }
    ) => Effect.Effect<Option.Option<SettledAttempt>>
    /**
     * Releases a delivery whose attempt was interrupted by a stopping worker. The delivery is due again at `at`, and
     * the interrupted attempt does not count.
     */
    readonly release: (claimed: ClaimedDelivery, at: Instant) => Effect.Effect<void>
    /** Pauses the webhook until this time. A pause that ends later does not change. */
    readonly postpone: (id: WebhookId, until: Instant) => Effect.Effect<void>
    /**
     * Repairs due times that were calculated with a fast clock, as `MailStore.repairDueTimes` does for mails. A
     * delivery whose latest attempt has a time in the future also becomes due now.
     */
    readonly repairDueTimes: (latest: LatestDue) => Effect.Effect<void>
    /** Ends each pause that lasts beyond `after` and for which `isPostponed` returns true. */
    readonly repairPauses: (after: Instant, isPostponed: (present: Receiver) => boolean) => Effect.Effect<void>
    /** The next time at which an active webhook has a delivery to send; none when no delivery is pending. */
    readonly nextDue: Effect.Effect<Option.Option<Instant>>
    /**
     * Counts pending deliveries and failing webhooks for operators. Each count stops at `limit`, which keeps the query
     * fast.
     */
    readonly backlog: (at: Instant, limit: number) => Effect.Effect<DeliveryBacklog>
  }
>()("@partner-commentary/core/webhook/DeliveryStore") {}
