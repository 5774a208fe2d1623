/**
 * Renders several rows for one INSERT. The text of the statement depends only on the number of rows, so that the
 * database can reuse the prepared statement.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { rowsToJson } from "./Columns.ts"

/** Returns `(columns) VALUES (…), …` with the columns of the first row. The caller must pass at least one row. */
export const valuesClause = (sql: SqlClient, rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  sql.insert(rows as NonEmptyReadonlyArray<Record<string, unknown>>)

/**
 * Renders rows of a table for an INSERT, in the given order. On Postgres the text of the statement is the same for any
 * number of rows, so that Postgres can reuse one prepared statement. The caller must pass at least one row.
 */
export const insertRowsClause = (sql: SqlClient, table: string, rows: ReadonlyArray<object>): Fragment =>
  sql.onDialectOrElse({
    pg: () => {
      const columns = sql.literal(Object.keys(rows[0] ?? {}).join(", "))
      return sql`(${columns}) SELECT ${columns}
        FROM json_populate_recordset(NULL::${sql.literal(table)}, CAST(CAST(${rowsToJson(rows as ReadonlyArray<Record<string, unknown>>)} AS TEXT) AS JSON)) AS given`
    },
    orElse: () => sql`${valuesClause(sql, rows as ReadonlyArray<Record<string, unknown>>)}`
  })
