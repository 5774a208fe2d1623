/** Clauses that lock rows. SQLite has one writer at a time and needs none. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** Keys never change, so a row that refers to this one can be inserted meanwhile. */
export const forUpdate = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR NO KEY UPDATE"), orElse: () => sql.literal("") })

/** Prevents that a referenced row is deleted before the transaction ends. */
export const forKeyShare = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR KEY SHARE"), orElse: () => sql.literal("") })

/** Skips locked rows: for claims from a queue. */
export const forUpdateSkipLocked = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR NO KEY UPDATE SKIP LOCKED"), orElse: () => sql.literal("") })

/**
 * Locks a name until the transaction ends, where no row can be locked. Two names may share a lock, which only costs a
 * wait.
 */
export const lockName = (sql: SqlClient, name: string) =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`),
    orElse: () => Effect.void
  })
