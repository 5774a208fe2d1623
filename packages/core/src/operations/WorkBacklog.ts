/** The port that counts the work that waits, for operators: what a worker could take, and what needs a person. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Instant } from "../shared/Instant.ts"
import type { Work } from "../shared/WorkSignal.ts"

/** Deliveries are counted by their own store, and what removed webhooks left has no due time. */
export type DueWork = Readonly<Record<Exclude<Work, "deliveries" | "removals">, number>>

export interface WaitingWork {
  /** Mails that were not handed over yet, due or not. */
  readonly mails: number
  /** Drafts that gave up and wait for a new start. */
  readonly stalledDrafts: number
  /** Webhooks whose circuit breaker is open until its next probe. */
  readonly openCircuits: number
  /** Webhooks whose circuit breaker is open and whose probe is due or under way. */
  readonly halfOpenCircuits: number
}

/** Mails whose last attempt failed and that will be sent again. */
export interface MailsToRetry {
  readonly count: number
  /** When the oldest of them was queued. */
  readonly oldest: Instant
  /** Why an attempt failed at the mail that is due last. */
  readonly lastReason: string
}

/** Drafts whose last attempt failed and that will be attempted again. */
export interface DraftsToRetry {
  readonly count: number
  readonly mostAttempts: number
}

export class WorkBacklog extends Context.Service<
  WorkBacklog,
  {
    /** What was due at this moment and still waits, each kind counted up to `most`. */
    readonly due: (at: Instant, most: number) => Effect.Effect<DueWork>
    /** What waits whether it is due or not, each counted up to `most`. */
    readonly waiting: (at: Instant, most: number) => Effect.Effect<WaitingWork>
    /** None: no mail waits for another attempt. */
    readonly mailsToRetry: Effect.Effect<Option.Option<MailsToRetry>>
    /** None: no draft waits for another attempt. */
    readonly draftsToRetry: Effect.Effect<Option.Option<DraftsToRetry>>
  }
>()("@partner-commentary/core/operations/WorkBacklog") {}
