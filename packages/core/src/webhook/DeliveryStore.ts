/**
 * The port that stores deliveries until they have succeeded or failed. AssignmentStore inserts deliveries in the
 * transaction that changes the assignment.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { LatestPlausibleDueTimes } from "../shared/DueTimes.ts"
import type { EventId, OrganizationId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { DeliveryAttempt } from "./Attempt.ts"
import type { DeliveryAllowance, ReceiverState } from "./CircuitBreaker.ts"
import type { DeliveryAttemptKind, DeliveryRetryState, NextDeliveryState } from "./DeliveryPlan.ts"
import type { WebhookContactNotice } from "./WebhookContactNotice.ts"
import type { FormerWebhookSecret } from "./WebhookSecret.ts"

/** A webhook that has due deliveries. */
export interface DueWebhook {
  readonly webhookId: WebhookId
  readonly organizationId: OrganizationId
}

/** A delivery that a worker has claimed and must now attempt. */
export interface ClaimedDelivery extends DeliveryRetryState {
  readonly webhookId: WebhookId
  /** The webhook's URL at the time of the claim. */
  readonly url: string
  readonly encryptedSecret: string
  readonly formerSecret: FormerWebhookSecret | null
  readonly eventId: EventId
  readonly payload: string
  /** The ticket increases with every attempt, so that the store recognizes the result of an outdated attempt. */
  readonly ticket: number
  readonly kind: DeliveryAttemptKind
}

/** Decides how many deliveries to claim, and the receiver's state after the claim. */
export interface DeliveryClaimPlan {
  /** `allow` is called with the receiver and the number of deliveries in flight. */
  readonly allow: (present: ReceiverState, inFlight: number) => DeliveryAllowance
  readonly taken: (present: ReceiverState, allowance: DeliveryAllowance, count: number) => ReceiverState
}

/** A webhook's state before and after an attempt, and the deliveries that the same transaction claimed. */
export interface DeliverySettlementResult {
  readonly before: ReceiverState
  readonly after: ReceiverState
  readonly following: ReadonlyArray<ClaimedDelivery>
}

/** The result of an attempt. The store writes the complete result of an attempt in one transaction. */
export interface DeliverySettlement {
  readonly receiver: ReceiverState
  readonly next: NextDeliveryState
  readonly notice: WebhookContactNotice | null
  readonly audit: Pick<AuditEntry, "action" | "details"> | null
}

export interface DeliveryBacklog {
  /** The number of due deliveries that workers may send now. */
  readonly due: number
  /**
   * The number of pending deliveries whose webhook has another status than `active`, or is in a pause that has not
   * ended.
   */
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
     * Returns active webhooks with due deliveries, each webhook once, oldest due time first. The result omits webhooks
     * that are paused or have their maximum number of deliveries in flight.
     */
    readonly dueWebhooks: (
      at: Instant,
      inFlightLimit: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DueWebhook>>
    /**
     * Claims due deliveries, oldest first. `allow` gets the receiver and the number of deliveries in flight, and
     * returns the number of deliveries to claim. `allow` runs under the receiver's lock, so that concurrent workers
     * never exceed a limit. No other worker gets the claimed deliveries before the time `lease`. If no outcome is
     * stored, a delivery is due again at the time `lease`. Returns none for an inactive webhook.
     */
    readonly claim: (
      id: WebhookId,
      at: Instant,
      lease: Instant,
      taking: DeliveryClaimPlan
    ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>>
    /**
     * Stores the attempt and the result of `decide` while it holds the receiver's lock. If the ticket is outdated, only
     * a success changes the delivery, and a failure is only recorded. If the URL changed after the claim, a failed
     * manual attempt stays requested. `following` claims the webhook's next deliveries in the same transaction. Returns
     * none when the webhook was removed.
     */
    readonly settle: (
      claimed: ClaimedDelivery,
      attempt: DeliveryAttempt,
      at: Instant,
      decide: (present: ReceiverState) => DeliverySettlement,
      following?: { readonly lease: Instant; readonly taking: DeliveryClaimPlan }
    ) => Effect.Effect<Option.Option<DeliverySettlementResult>>
    /**
     * Releases a delivery whose attempt was interrupted because the worker stops. The released delivery is due again at
     * `at`, and its attempt does not count.
     */
    readonly release: (claimed: ClaimedDelivery, at: Instant) => Effect.Effect<void>
    /** Pauses the webhook until the time `until`. An existing pause with a later end stays unchanged. */
    readonly postpone: (id: WebhookId, until: Instant) => Effect.Effect<void>
    /**
     * Makes deliveries due earlier if a fast clock set their due times too late, as `MailStore.repairDueTimes` does for
     * mails. A delivery whose latest attempt has a future time also becomes due now, because a fast clock also
     * calculated the time of the delivery's next attempt.
     */
    readonly repairDueTimes: (latest: LatestPlausibleDueTimes) => Effect.Effect<void>
    /** Ends each pause that lasts beyond `after` and for which `isPostponed` returns true. */
    readonly repairPauses: (after: Instant, isPostponed: (present: ReceiverState) => boolean) => Effect.Effect<void>
    /** Returns the next time at which a delivery to an active webhook is due; none when no delivery is pending. */
    readonly nextDue: Effect.Effect<Option.Option<Instant>>
    /**
     * Counts pending deliveries and failing webhooks for operators. Each count stops at `limit`, to limit the cost of
     * the query.
     */
    readonly backlog: (at: Instant, limit: number) => Effect.Effect<DeliveryBacklog>
  }
>()("@partner-commentary/core/webhook/DeliveryStore") {}
