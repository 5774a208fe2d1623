/**
 * Makes SQLite store the rows of tables with long texts in the order of row numbers. If rows are stored in the order of
 * the primary key, each look-up of a key reads the whole text of every row that it compares.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const storeLongRowsByNumber = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.onDialectOrElse({ pg: () => Effect.void, orElse: () => recreateTables(sql) })
})

const recreateTables = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  // The new table gets the old table's name, so a rename must not change the name in other tables, views and triggers.
  yield* sql`PRAGMA legacy_alter_table = ON`
  for (const table of ["topics", "assignments", "drafts", "events"]) {
    // A trigger of a host may write the name of the table in upper case.
    const schema = yield* sql<{ readonly type: string; readonly text: string }>`
      SELECT type, sql AS text FROM sqlite_schema WHERE LOWER(tbl_name) = ${table} AND sql IS NOT NULL ORDER BY rowid`
    const columns = yield* sql<{ readonly name: string }>`SELECT name FROM pragma_table_info(${table})`
    const names = columns.map(({ name }) => `"${name}"`).join()
    yield* sql.unsafe(`ALTER TABLE ${table} RENAME TO former_rows`)
    for (const { text, type } of schema) if (type === "table") yield* sql.unsafe(numberRows(text))
    yield* sql.unsafe(`INSERT INTO ${table} (${names}) SELECT ${names} FROM former_rows`)
    yield* sql.unsafe("DROP TABLE former_rows")
    for (const { text, type } of schema) if (type !== "table") yield* sql.unsafe(text)
  }
  yield* sql`PRAGMA legacy_alter_table = OFF`
})

/** Changes the definition of a table. The primary key of a table with row numbers allows null by default. */
const numberRows = (definition: string): string =>
  definition.replace("id TEXT PRIMARY KEY", "id TEXT NOT NULL PRIMARY KEY").replace(", WITHOUT ROWID", "")
