/**
 * Renders several rows of one INSERT. The statement's text depends only on the number of rows, so that it stays
 * prepared.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { jsonOf } from "./Columns.ts"

/** Returns `(columns) VALUES (…), …` with the columns of the first row. There must be at least one row. */
export const values = (sql: SqlClient, rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  sql.insert(rows as NonEmptyReadonlyArray<Record<string, unknown>>)

/**
 * Renders rows of a table for an INSERT, in their order. On Postgres the text does not even depend on the number of
 * rows, so that rows of many changes can share a statement. There must be at least one row.
 */
export const rowsOf = (sql: SqlClient, table: string, rows: ReadonlyArray<object>): Fragment =>
  sql.onDialectOrElse({
    pg: () => {
      const columns = sql.literal(Object.keys(rows[0] ?? {}).join(", "))
      return sql`(${columns}) SELECT ${columns}
        FROM json_populate_recordset(NULL::${sql.literal(table)}, CAST(CAST(${jsonOf(rows as ReadonlyArray<Record<string, unknown>>)} AS TEXT) AS JSON)) AS given`
    },
    orElse: () => sql`${values(sql, rows as ReadonlyArray<Record<string, unknown>>)}`
  })
