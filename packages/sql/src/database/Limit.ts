/** Returns the LIMIT clause that every statement uses. */
import type { SqlClient } from "effect/sql/SqlClient"

/**
 * The CAST hides the value from the query planner of SQLite. Without the CAST, SQLite prepares the statement again at
 * every run.
 */
export const limitClause = (sql: SqlClient, rows: number | string) => sql`LIMIT CAST(${rows} AS INTEGER)`
