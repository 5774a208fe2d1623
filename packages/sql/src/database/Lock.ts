/** Returns SQL clauses that lock rows. SQLite allows only one writer at a time, so SQLite needs no row locks. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/**
 * Locks a row for an update. The primary key never changes, so other transactions can still insert rows that refer to
 * the locked row.
 */
export const forUpdate = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR NO KEY UPDATE"), orElse: () => sql.literal("") })

/** Returns a lock clause that prevents the deletion of a referenced row before the transaction ends. */
export const forKeyShare = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR KEY SHARE"), orElse: () => sql.literal("") })

/** Returns a lock clause that skips locked rows, for claims from a queue. */
export const forUpdateSkipLocked = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR NO KEY UPDATE SKIP LOCKED"), orElse: () => sql.literal("") })

/**
 * Locks a name until the transaction ends, for cases where no row exists to lock. Two names with the same hash share a
 * lock, so one transaction may wait for the other without need.
 */
export const takeAdvisoryLock = (sql: SqlClient, name: string) =>
  sql.onDialectOrElse({
    // The cast to TEXT is needed because Prisma cannot read the type void.
    pg: () => Effect.asVoid(sql`SELECT CAST(pg_advisory_xact_lock(hashtextextended(${name}, 0)) AS TEXT)`),
    orElse: () => Effect.void
  })
