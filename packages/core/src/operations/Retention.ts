/** The port that deletes expired data. The caller decides which data has expired. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Instant } from "../shared/Instant.ts"

/**
 * The deletion limits. Each field is a time, and older data of that kind is deleted. The kinds are settled mails,
 * finished recoveries, closed duplicate windows, expired idempotent responses, events with their deliveries, and test
 * topics by UTC day.
 */
export interface DeletionLimits {
  readonly mails: Instant
  readonly windows: Instant
  readonly answers: Instant
  readonly events: Instant
  readonly testTopics: Instant
}

/** The number of deleted rows of each kind. */
export interface DeletedRows {
  readonly mails: number
  readonly windows: number
  readonly answers: number
  readonly events: number
  readonly testTopics: number
}

export class Retention extends Context.Service<
  Retention,
  {
    /**
     * Deletes in small batches, so that other writes can continue. The caller can repeat an interrupted purge. The
     * purge also deletes former webhook secrets after the end of their grace period.
     */
    readonly purge: (before: DeletionLimits) => Effect.Effect<DeletedRows>
    /**
     * Deletes one batch of test data from UTC days before this time: topics with all their rows, then closed duplicate
     * windows and expired responses. Returns the number of deleted rows; 0 when no row is left. Topics of the live
     * environment are not deleted.
     */
    readonly purgeTests: (before: Instant) => Effect.Effect<number>
    /** Counts the rows that `purge` would delete now. This method changes nothing and takes no locks. */
    readonly count: (before: DeletionLimits) => Effect.Effect<DeletedRows>
  }
>()("@partner-commentary/core/operations/Retention") {}
