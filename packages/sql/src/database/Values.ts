/** Several rows for one INSERT. The statement's text is the same for the same number of rows, so that it stays prepared. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { SqlClient } from "effect/sql/SqlClient"

/** `(columns) VALUES (…), …` of one row at least, all with the columns of the first. */
export const values = (sql: SqlClient, rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  sql.insert(rows as NonEmptyReadonlyArray<Record<string, unknown>>)
