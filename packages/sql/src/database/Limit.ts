/** The LIMIT clause of every statement. */
import type { SqlClient } from "effect/sql/SqlClient"

/**
 * The cast hides the value from SQLite's planner, because otherwise SQLite prepares the statement again at every run.
 */
export const limitTo = (sql: SqlClient, rows: number | string) => sql`LIMIT CAST(${rows} AS INTEGER)`
