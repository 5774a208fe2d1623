/** The port that tries whether the database takes a write, as every request that changes something needs it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** For people, anonymous callers among them: no address, path or credential. */
const sentences = {
  full: "The database's disk is full: free space",
  read_only: "The database is read-only and takes no writes",
  corrupt: "The database is corrupt: restore a backup or repair it",
  moved: "The database file was moved, replaced or deleted while it was in use: put it back, or restart",
  disk: "The database's disk fails: reads or writes of its file are refused",
  locked: "Another process holds the database's write lock",
  unreachable: "The database cannot be reached",
  slow: "The database did not answer within 2 seconds",
  forbidden: "The database's role lacks the privilege to write",
  refused: "The database refused a test write"
} as const

export const Fault = Schema.Literals(Object.keys(sentences) as Array<keyof typeof sentences>)
export type Fault = typeof Fault.Type

export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  fault: Fault,
  /** The database's own words, for an operator; empty where it said nothing. */
  detail: Schema.String
}) {
  override get message() {
    return sentences[this.fault]
  }
}

export class DatabaseHealth extends Context.Service<
  DatabaseHealth,
  {
    /**
     * Writes a row and removes it again in one transaction, over the connections that requests use. Answers within about 2
     * seconds. Concurrent callers share one check, and its answer holds for a second: anonymous callers cause no more writes.
     */
    readonly check: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@partner-commentary/core/operations/DatabaseHealth") {}
