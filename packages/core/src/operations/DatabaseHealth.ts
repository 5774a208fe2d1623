/** The port that checks whether the database accepts a write. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The message of each kind of database fault. Anonymous callers can read these texts, so a text contains no address,
 * path or credential.
 */
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

export const DatabaseFault = Schema.Literals(Object.keys(sentences) as Array<keyof typeof sentences>)
export type DatabaseFault = typeof DatabaseFault.Type

export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  fault: DatabaseFault,
  /** The database's own message for the operator; `""` if the database gave no message. */
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
     * Writes and deletes a row in one transaction. The database check uses the same connections as requests and takes
     * about 2 seconds at most. Concurrent callers share one check, whose result is cached for a second. Even many
     * anonymous callers cause at most one database check a second.
     */
    readonly check: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@partner-commentary/core/operations/DatabaseHealth") {}
