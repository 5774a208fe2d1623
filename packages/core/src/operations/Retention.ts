/**
 * The port that deletes expired data. For each kind of data, the caller passes a cutoff, and older data has expired.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Instant } from "../shared/Instant.ts"

/**
 * The times before which data is deleted. Mails that were sent, failed or became obsolete before `mails` are deleted,
 * and so are recoveries that finished before `mails`. Duplicate windows that closed before `windows`, and idempotent
 * responses that expired before `answers`, are deleted. Events before `events` are deleted with their deliveries, and
 * test topics of UTC days before `testTopics` are deleted.
 */
export interface DeletionCutoffs {
  readonly mails: Instant
  readonly windows: Instant
  readonly answers: Instant
  readonly events: Instant
  readonly testTopics: Instant
}

/**
 * The number of deleted mails, duplicate windows, idempotent responses, events and test topics. Deleted rows of other
 * kinds, such as deliveries, are not counted.
 */
export interface DeletedRowCounts {
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
     * Deletes rows in small batches, so that other writes can continue. An interrupted purge can be repeated. The purge
     * also deletes former webhook secrets whose grace period is over.
     */
    readonly purge: (before: DeletionCutoffs) => Effect.Effect<DeletedRowCounts>
    /**
     * Deletes one batch of test data from UTC days before `before`. Topics and their rows are deleted first, then
     * closed duplicate windows and expired responses. Returns the number of deleted rows; 0 when no rows remain. Topics
     * of the live environment are not deleted.
     */
    readonly purgeTests: (before: Instant) => Effect.Effect<number>
    /** Returns the numbers that `purge` would return now. `count` changes no data and takes no locks. */
    readonly count: (before: DeletionCutoffs) => Effect.Effect<DeletedRowCounts>
  }
>()("@partner-commentary/core/operations/Retention") {}
