/**
 * SQLite stores the rows of tables with long texts in the order of row numbers. In the order of the primary key, SQLite
 * reads the whole text of each row that it compares while it looks up a key.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const storeLongRowsByNumber = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.onDialectOrElse({ pg: () => Effect.void, orElse: () => recreateTables(sql) })
})

const recreateTables = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  // Rows of other tables reference these tables. SQLite checks the references at the end of the transaction.
  yield* sql`PRAGMA defer_foreign_keys = ON`
  for (const table of ["topics", "assignments", "drafts", "events"]) {
    const schema = yield* sql<{ readonly type: string; readonly text: string }>`
      SELECT type, sql AS text FROM sqlite_schema WHERE tbl_name = ${table} AND sql IS NOT NULL ORDER BY rowid`
    yield* sql.unsafe(`CREATE TABLE former_rows AS SELECT * FROM ${table}`)
    yield* sql.unsafe(`DROP TABLE ${table}`)
    for (const { text, type } of schema) if (type === "table") yield* sql.unsafe(numberRows(text))
    yield* sql.unsafe(`INSERT INTO ${table} SELECT * FROM former_rows`)
    yield* sql.unsafe("DROP TABLE former_rows")
    for (const { text, type } of schema) if (type !== "table") yield* sql.unsafe(text)
  }
})

/** Changes the definition of a table. The primary key of a table with row numbers allows null by default. */
const numberRows = (definition: string): string =>
  definition.replace("id TEXT PRIMARY KEY", "id TEXT NOT NULL PRIMARY KEY").replace(", WITHOUT ROWID", "")
