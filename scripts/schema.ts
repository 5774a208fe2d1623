/**
 * Checks that adapters/sqlite/src/PresentSchema.ts equals the schema that the migrations create in an empty database.
 * With `--write`, the script writes the file.
 */
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { reportFindings } from "./Findings.ts"
import { findOutdatedFiles, writeGeneratedFiles } from "./Generated.ts"

/**
 * The statements create the tables first, then the rows, then indexes and triggers. In this order, inserting the rows
 * updates no index and fires no trigger.
 */
const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Migrations.migrate
  const made = yield* sql<{ readonly type: string; readonly name: string; readonly text: string }>`
    SELECT type, name, sql AS text FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid`
  const tables = made.filter(({ type }) => type === "table")
  const rows = yield* Effect.forEach(tables, ({ name }) => rowsOf(name))
  return [
    ...tables.map(({ text }) => text),
    ...rows.flat(),
    ...made.filter(({ type }) => type !== "table").map(({ text }) => text)
  ]
})

/** Omits columns that default to the current time, because each new database sets its own time. */
const rowsOf = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly name: string; readonly standard: string | null }>`
    SELECT name, dflt_value AS standard FROM pragma_table_info(${table})`
  const kept = columns.filter(({ standard }) => !/current_timestamp/i.test(standard ?? "")).map(({ name }) => name)
  const values = kept.map((name) => `quote(${name})`).join(" || ', ' || ")
  const rows = yield* sql.unsafe<{ readonly row: string }>(`SELECT ${values} AS row FROM ${table}`)
  return rows.map(({ row }) => `INSERT INTO ${table} (${kept.join(", ")}) VALUES (${row})`)
})

const list = (texts: ReadonlyArray<string>) => JSON.stringify(texts, null, 2)

const text = `/** The SQLite schema that the listed migrations create in an empty database. Generated: npm run describe. */
export const presentSchemaMigrationNames = ${list(Migrations.names)}

export const schemaStatements = ${list(await Effect.runPromise(Effect.provide(statements, SqliteClient.layer({ filename: ":memory:" }))))}
`

const generated = { "adapters/sqlite/src/PresentSchema.ts": text }

if (process.argv.includes("--write")) writeGeneratedFiles(generated)
else reportFindings(`schema: ${Migrations.names.length} migrations`, findOutdatedFiles(generated))
