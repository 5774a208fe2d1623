/** Tests that the generated schema of databases in memory equals the schema that the migrations create. */
import { assert, it } from "@effect/vitest"
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as MemorySchema from "../src/MemorySchema.ts"
import * as SqliteClient from "../src/SqliteClient.ts"

const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const schema = yield* sql<{ readonly type: string; readonly name: string }>`
    SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name`
  const tables = schema.filter(({ type }) => type === "table")
  const rows = yield* Effect.forEach(tables, ({ name }) => sql`SELECT * FROM ${sql(name)}`)
  const timeless = rows.flat().map(({ created_at: _, ...row }) => row)
  return { schema, rows: timeless }
})

const on = (schema: Layer.Layer<never, unknown, SqliteClient.SqliteClient | SqlClient.SqlClient>) =>
  Effect.provide(contents, schema.pipe(Layer.provideMerge(Layer.fresh(SqliteClient.layer({ filename: ":memory:" })))))

it.effect("every database in memory starts with the schema that the migrations create", () =>
  Effect.gen(function* () {
    const migrated = yield* on(Migrations.layer)
    assert.isAbove(migrated.schema.length, 40)
    assert.deepStrictEqual(yield* on(Layer.fresh(MemorySchema.layer)), migrated)
    assert.deepStrictEqual(yield* on(Layer.fresh(MemorySchema.layer)), migrated)
  })
)
