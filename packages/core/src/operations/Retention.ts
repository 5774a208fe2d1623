/** The port that deletes expired data. The caller passes the times before which data has expired. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Instant } from "../shared/Instant.ts"

/**
 * Each field is a time, and older data of that kind is deleted. The data are settled mails, finished recoveries, closed
 * duplicate windows, expired idempotent responses, events with their deliveries, and test topics. Test topics are
 * deleted by whole UTC days.
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
     * Deletes expired data in small batches, so that other writes continue. An interrupted purge can be repeated.
     * `purge` also deletes former webhook secrets after their grace period.
     */
    readonly purge: (before: DeletionLimits) => Effect.Effect<DeletedRows>
    /**
     * Deletes one batch of test data from UTC days before this time. Topics and their rows are deleted first, then
     * closed duplicate windows and expired responses. Returns the number of deleted rows; 0 when no rows remain. Topics
     * of the live environment stay.
     */
    readonly purgeTests: (before: Instant) => Effect.Effect<number>
    /** Returns the number of rows that `purge` would delete now. `count` changes no data and takes no locks. */
    readonly count: (before: DeletionLimits) => Effect.Effect<DeletedRows>
  }
>()("@partner-commentary/core/operations/Retention") {}
