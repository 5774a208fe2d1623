/** The port that counts queued work for operators: due jobs, and failures that need attention. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Instant } from "../shared/Instant.ts"
import type { WorkKind } from "../shared/WorkSignal.ts"

/**
 * The number of due jobs by kind. DeliveryStore counts deliveries, and the rows of removed webhooks have no due time.
 */
export type DueWorkCounts = Readonly<Record<Exclude<WorkKind, "deliveries" | "removals">, number>>

export interface WaitingWorkCounts {
  /** The number of unsent mails, whether they are due or not. */
  readonly mails: number
  /** The number of assignments whose generation attempts all failed and that wait for a restart. */
  readonly stalledDrafts: number
  /** The number of webhooks with an open circuit breaker that waits for its next probe. */
  readonly openCircuits: number
  /** The number of webhooks with an open circuit breaker whose probe is due or in flight. */
  readonly halfOpenCircuits: number
}

/** The mails whose last attempt failed and that the worker will retry. */
export interface MailsToRetry {
  readonly count: number
  /** The time at which the oldest of these mails was queued. */
  readonly oldest: Instant
  /** The last error of the mail with the latest due time. */
  readonly lastReason: string
}

/** The drafts whose last attempt failed and that the worker will retry. */
export interface DraftsToRetry {
  readonly count: number
  readonly mostAttempts: number
}

export class WorkBacklog extends Context.Service<
  WorkBacklog,
  {
    /** Counts jobs that are due at this time. Each count stops at `limit`. */
    readonly due: (at: Instant, limit: number) => Effect.Effect<DueWorkCounts>
    /** Counts unfinished work, whether due or not. Each count stops at `limit`. */
    readonly waiting: (at: Instant, limit: number) => Effect.Effect<WaitingWorkCounts>
    /** The mails that wait for a retry; none when no mail waits. */
    readonly mailsToRetry: Effect.Effect<Option.Option<MailsToRetry>>
    /** The drafts that wait for a retry; none when no draft waits. */
    readonly draftsToRetry: Effect.Effect<Option.Option<DraftsToRetry>>
  }
>()("@partner-commentary/core/operations/WorkBacklog") {}
