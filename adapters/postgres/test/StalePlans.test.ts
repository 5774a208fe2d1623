/** Tests that running clients recover without an error when a schema change makes prepared statements stale. */
import { assert, it } from "@effect/vitest"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import { transact } from "@partner-commentary/sql/database/Transaction"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const poolSize = 8

it.effect("adding a column makes no transaction fail, even if every connection has prepared statements", () =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.fresh
    const test = Effect.gen(function* () {
      const sql = yield* PostgresClient.PostgresClient
      yield* sql`CREATE TABLE kept (n INTEGER)`
      yield* sql`INSERT INTO kept VALUES (1)`
      const reads = Array.from({ length: 8 }, (_, index) => sql.literal(`SELECT *, ${index} AS index FROM kept`))
      const change = transact(
        sql,
        Effect.andThen(
          sql`SELECT 1`,
          Effect.forEach(reads, (read) => sql`${read}`)
        )
      )
      const many = Effect.forEach(Array.from({ length: poolSize }), () => change, { concurrency: "unbounded" })
      for (const columns of [2, 3, 4]) {
        assert.strictEqual(Object.keys((yield* many)[0]?.[0]?.[0] ?? {}).length, columns)
        yield* sql`ALTER TABLE kept ADD COLUMN ${sql.literal(`more_${columns} INTEGER`)}`
      }
    })
    yield* Effect.provide(test, Layer.fresh(PostgresClient.layer({ url, poolSize })))
  }).pipe(Effect.scoped)
)
