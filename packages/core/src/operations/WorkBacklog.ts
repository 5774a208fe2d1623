/** The port that counts queued work for operators, such as due jobs and failures that need attention. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Instant } from "../shared/Instant.ts"
import type { WorkKind } from "../shared/WorkSignal.ts"

/**
 * The number of due jobs of each kind. DeliveryStore counts due deliveries. Removals of webhooks are not counted,
 * because they have no due time.
 */
export type DueWorkCounts = Readonly<Record<Exclude<WorkKind, "deliveries" | "removals">, number>>

export interface WaitingWorkCounts {
  /** The number of unsent mails, including mails that are not due yet. */
  readonly mails: number
  /** The number of drafts that a person must restart because all generation attempts failed. */
  readonly stalledDrafts: number
  /** The number of webhooks with an open circuit breaker that waits for its next probe. */
  readonly openCircuits: number
  /** The number of webhooks with an open circuit breaker whose probe is due or in flight. */
  readonly halfOpenCircuits: number
}

/** A summary of the mails that will be retried after a failed attempt. */
export interface MailsAwaitingRetry {
  readonly count: number
  /** The time at which the oldest mail of the summary was queued. */
  readonly oldest: Instant
  /** The last error of the mail with the latest due time. */
  readonly lastReason: string
}

/** A summary of the drafts that will be retried after a failed attempt. */
export interface DraftsAwaitingRetry {
  readonly count: number
  readonly mostAttempts: number
}

export class WorkBacklog extends Context.Service<
  WorkBacklog,
  {
    /** Counts jobs that are due at the time `at`. Each count stops at `limit`. */
    readonly due: (at: Instant, limit: number) => Effect.Effect<DueWorkCounts>
    /** Counts unfinished work, including work that is not due yet. Each count stops at `limit`. */
    readonly waiting: (at: Instant, limit: number) => Effect.Effect<WaitingWorkCounts>
    /** Summarizes the mails that wait for a retry; none if no mail waits. */
    readonly mailsToRetry: Effect.Effect<Option.Option<MailsAwaitingRetry>>
    /** Summarizes the drafts that wait for a retry; none if no draft waits. */
    readonly draftsToRetry: Effect.Effect<Option.Option<DraftsAwaitingRetry>>
  }
>()("@partner-commentary/core/operations/WorkBacklog") {}
