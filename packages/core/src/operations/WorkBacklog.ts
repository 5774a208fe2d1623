/** The port that counts queued work for operators: due jobs, and failures that need attention. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Instant } from "../shared/Instant.ts"
import type { WorkKind } from "../shared/WorkSignal.ts"

/** DeliveryStore counts deliveries, and rows of removed webhooks have no due time. */
export type DueWorkCounts = Readonly<Record<Exclude<WorkKind, "deliveries" | "removals">, number>>

export interface WaitingWorkCounts {
  /** The number of unsent mails, due or not. */
  readonly mails: number
  /** The number of drafts whose attempts all failed and that wait for a restart. */
  readonly stalledDrafts: number
  /** The number of webhooks whose circuit breaker is open and waits for its next probe. */
  readonly openCircuits: number
  /** The number of webhooks whose circuit breaker is open and whose probe is due or in flight. */
  readonly halfOpenCircuits: number
}

/** Mails whose last attempt failed and that will be retried. */
export interface MailsToRetry {
  readonly count: number
  /** The time at which the oldest of these mails was queued. */
  readonly oldest: Instant
  /** The last error of the mail that is due last. */
  readonly lastReason: string
}

/** Drafts whose last attempt failed and that will be retried. */
export interface DraftsToRetry {
  readonly count: number
  readonly mostAttempts: number
}

export class WorkBacklog extends Context.Service<
  WorkBacklog,
  {
    /** Counts jobs that are due at this time. Each count stops at `limit`. */
    readonly due: (at: Instant, limit: number) => Effect.Effect<DueWorkCounts>
    /** Counts unfinished work, due or not. Each count stops at `limit`. */
    readonly waiting: (at: Instant, limit: number) => Effect.Effect<WaitingWorkCounts>
    /** Returns none when no mail waits for a retry. */
    readonly mailsToRetry: Effect.Effect<Option.Option<MailsToRetry>>
    /** Returns none when no draft waits for a retry. */
    readonly draftsToRetry: Effect.Effect<Option.Option<DraftsToRetry>>
  }
>()("@partner-commentary/core/operations/WorkBacklog") {}
