/** The fragments of table definitions that differ between databases. */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

const onPostgres = (sql: SqlClient, postgres: string, sqlite: string): Fragment =>
  sql.onDialectOrElse({ pg: () => sql.literal(postgres), orElse: () => sql.literal(sqlite) })

/** SQLite enforces column types. */
export const strict = (sql: SqlClient) => onPostgres(sql, "", "STRICT")

/** SQLite enforces column types and stores rows in the primary key's tree, instead of a second one. */
export const clustered = (sql: SqlClient) => onPostgres(sql, "", "STRICT, WITHOUT ROWID")

/** The type of an automatically numbered key. */
export const serial = (sql: SqlClient) =>
  onPostgres(sql, "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "INTEGER PRIMARY KEY")

/** An integer beyond 2^31. */
export const large = (sql: SqlClient) => onPostgres(sql, "BIGINT", "INTEGER")

/** Fills pages to this percentage: an updated row stays in its page, and no index changes. SQLite updates in place. */
export const oftenUpdated = (sql: SqlClient, percentage: number) =>
  onPostgres(sql, `WITH (fillfactor = ${percentage})`, "")

/** For a table that only grows: the default, a fifth of the table, leaves plans outdated for months. */
export const growing = (sql: SqlClient) =>
  onPostgres(
    sql,
    `WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
      autovacuum_analyze_scale_factor = 0.02)`,
    ""
  )

/** For a table whose rows come and go. */
export const queue = (sql: SqlClient) =>
  onPostgres(sql, "WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)", "")
