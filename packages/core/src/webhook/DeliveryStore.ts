/** The port that keeps events on their way to webhooks. They come there with the change that they tell of, by AssignmentStore. */
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
import type { AttemptKind, Next, RetryState } from "./DeliveryPlan.ts"

/** A webhook for which something is due. */
export interface Lane {
  readonly webhookId: WebhookId
  readonly organizationId: OrganizationId
}

/** A delivery that was taken, and must now be tried by whoever took it. */
export interface Claimed extends RetryState {
  readonly webhookId: WebhookId
  /** As they were when it was taken. */
  readonly url: string
  readonly sealedSecret: string
  readonly eventId: EventId
  readonly payload: string
  /** Increases with every attempt: one that was overtaken moves nothing. */
  readonly ticket: number
  readonly kind: AttemptKind
}

/** How many are taken, and what that makes of their receiver. */
export interface Taking {
  /** Sees the receiver and how many are under way. */
  readonly allow: (present: Receiver, underWay: number) => Allowance
  readonly taken: (present: Receiver, allowance: Allowance, count: number) => Receiver
}

/** A webhook before and after an attempt, and what was taken in the place of what ended. */
export interface Settled {
  readonly before: Receiver
  readonly after: Receiver
  readonly following: ReadonlyArray<Claimed>
}

/** What follows from an attempt: all of it is stored, or nothing. */
export interface Settlement {
  readonly receiver: Receiver
  readonly next: Next
  readonly notice: ContactNotice | null
  readonly audit: Pick<AuditEntry, "action" | "details"> | null
}

export interface Backlog {
  /** Due deliveries that may be sent. */
  readonly due: number
  /** Pending ones of webhooks that are not active or are left alone. */
  readonly held: number
  /** Webhooks whose breaker is open. */
  readonly open: number
  /** Webhooks. */
  readonly disabled: number
}

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /**
     * Active webhooks with something due that may be sent, the longest overdue first, each once: those that are left alone
     * until later, or have as many under way as they may, are passed over.
     */
    readonly lanes: (at: Instant, most: number, limit: number) => Effect.Effect<ReadonlyArray<Lane>>
    /**
     * Takes deliveries that are due, the longest overdue first, as many as `allow` says, which sees the receiver and how many
     * are under way, under its lock: so no cap is ever exceeded, however many workers there are. Until `lease` nobody else
     * gets them; without an outcome by then, they are due again. None for a webhook that is not active.
     */
    readonly claim: (
      id: WebhookId,
      at: Instant,
      lease: Instant,
      taking: Taking
    ) => Effect.Effect<ReadonlyArray<Claimed>>
    /**
     * Keeps the attempt, and what `decide` makes of it under the receiver's lock. Of an overtaken attempt only
     * a success counts: a failure is kept as an attempt, and changes nothing. `following`: the webhook's next ones are taken in
     * the same step, as `claim` takes them. None when the webhook is gone.
     */
    readonly settle: (
      claimed: Claimed,
      attempt: Attempt,
      at: Instant,
      decide: (present: Receiver) => Settlement,
      following?: { readonly lease: Instant; readonly taking: Taking }
    ) => Effect.Effect<Option.Option<Settled>>
    /** Broken off by our own stop: due again at this moment, and no attempt. */
    readonly release: (claimed: Claimed, at: Instant) => Effect.Effect<void>
    /** Nothing is sent to the webhook before this moment. A later one that is set already stays. */
    readonly postpone: (id: WebhookId, until: Instant) => Effect.Effect<void>
    /**
     * As `MailStore.repairDueTimes`. A delivery whose latest attempt lies in the future is due now as well: the clock that
     * made the attempt also chose the time of the next one.
     */
    readonly repairDueTimes: (latest: LatestDue) => Effect.Effect<void>
    /** Ends the pauses that last beyond `after` and that `isPutOff` confirms. */
    readonly repairPauses: (after: Instant, isPutOff: (present: Receiver) => boolean) => Effect.Effect<void>
    /** The next moment at which something can be sent to an active webhook. */
    readonly nextDue: Effect.Effect<Option.Option<Instant>>
    /** What waits and who is unwell, for operators: each counted up to `most`, so that looking stays cheap. */
    readonly backlog: (at: Instant, most: number) => Effect.Effect<Backlog>
  }
>()("@partner-commentary/core/webhook/DeliveryStore") {}
