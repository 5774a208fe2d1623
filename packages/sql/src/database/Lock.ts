/** Clauses that lock rows. SQLite has one writer at a time, so it needs no row locks. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** Keys never change, so other transactions can still insert rows that refer to this row. */
export const forUpdate = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR NO KEY UPDATE"), orElse: () => sql.literal("") })

/** A lock that prevents the deletion of a referenced row before the transaction ends. */
export const forKeyShare = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR KEY SHARE"), orElse: () => sql.literal("") })

/** Skips locked rows, for claims from a queue. */
export const forUpdateSkipLocked = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR NO KEY UPDATE SKIP LOCKED"), orElse: () => sql.literal("") })

/**
 * Locks a name until the transaction ends, for cases in which no row can be locked. Two names may share a lock, which
 * costs only a wait.
 */
export const lockName = (sql: SqlClient, name: string) =>
  sql.onDialectOrElse({
    // Prisma cannot read the type void.
    pg: () => Effect.asVoid(sql`SELECT CAST(pg_advisory_xact_lock(hashtextextended(${name}, 0)) AS TEXT)`),
    orElse: () => Effect.void
  })
