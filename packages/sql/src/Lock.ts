/** The clauses that lock rows where the database locks rows. SQLite has one writer at a time, and needs none. */
import type { SqlClient } from "effect/sql/SqlClient"

export const forUpdate = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })

/** Passes over what others hold: for taking from a queue. */
export const forUpdateSkipLocked = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE SKIP LOCKED"), orElse: () => sql.literal("") })
