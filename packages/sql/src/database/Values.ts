/**
 * Renders several rows of one INSERT. The statement's text depends only on the number of rows, so that it stays
 * prepared.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { SqlClient } from "effect/sql/SqlClient"

/** Returns `(columns) VALUES (…), …` with the columns of the first row. There must be at least one row. */
export const values = (sql: SqlClient, rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  sql.insert(rows as NonEmptyReadonlyArray<Record<string, unknown>>)
