/** Returns a condition on a column that contains a JSON list of names. */
import type { SqlClient } from "effect/sql/SqlClient"

/**
 * Returns whether the list in the column contains the name. The CAST hides the pattern from the query planner of SQLite.
 * Without the CAST, SQLite prepares the statement again at every run.
 */
export const makeListContainsCondition = (sql: SqlClient, column: string, name: string) =>
  sql`${sql.literal(column)} LIKE CAST(${`%"${name}"%`} AS TEXT)`
