/**
 * Builds the SQL clauses that several stores use: limits, row locks, the rows of an INSERT, and conditions on lists.
 * SQLite allows only one writer at a time, so SQLite needs no row locks.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { rowsToJson } from "./Columns.ts"

/**
 * The CAST hides the value from the query planner of SQLite. Without the CAST, SQLite prepares the statement again at
 * every run.
 */
export const limitClause = (sql: SqlClient, rows: number | string) => sql`LIMIT CAST(${rows} AS INTEGER)`

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
 * Returns `(columns) VALUES (…), …` with the columns of the first row. The text depends only on the number of rows, so
 * that the database can reuse the prepared statement. The caller must pass at least one row.
 */
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

/**
 * Returns whether the list in the column contains the name. The CAST hides the pattern from the query planner of SQLite.
 * Without the CAST, SQLite prepares the statement again at every run.
 */
export const makeListContainsCondition = (sql: SqlClient, column: string, name: string) =>
  sql`${sql.literal(column)} LIKE CAST(${`%"${name}"%`} AS TEXT)`
