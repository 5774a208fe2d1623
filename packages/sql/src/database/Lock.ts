/** The clauses that lock rows where the database locks rows. SQLite has one writer at a time, and needs none. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** Keys never change: who refers to a row need not wait for who changes it. */
export const forUpdate = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR NO KEY UPDATE"), orElse: () => sql.literal("") })

/** Nobody removes what is referred to before the transaction ends. */
export const forKeyShare = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR KEY SHARE"), orElse: () => sql.literal("") })

/** Passes over what others hold: for taking from a queue. */
export const forUpdateSkipLocked = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR NO KEY UPDATE SKIP LOCKED"), orElse: () => sql.literal("") })

/**
 * Whoever else locks this name waits until the transaction ends: for what no row stands for. Two names may share a lock,
 * which costs a wait and nothing else.
 */
export const lockName = (sql: SqlClient, name: string) =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`),
    orElse: () => Effect.void
  })
