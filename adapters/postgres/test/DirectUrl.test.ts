/** Tests that migrations and inspections over a direct URL reach the database of the pooler. */
import { assert, it } from "@effect/vitest"
import { DirectUrlMismatch } from "@partner-commentary/postgres/DirectUrl"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** Returns another URL of the same database. */
const withApplicationName = (url: Redacted.Redacted) => {
  const other = new URL(Redacted.value(url))
  other.searchParams.set("application_name", "direct")
  return Redacted.make(other.href)
}

it.effect("the direct clients accept any URL of the pooler's database, and refuse another database", () =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.used
    const other = yield* TestDatabase.used
    for (const layer of [Postgres.layerMigrationClient, Postgres.layerDirectInspectionClient]) {
      for (const directUrl of [undefined, url, withApplicationName(url)]) {
        yield* Layer.build(Layer.fresh(layer({ url, directUrl })))
      }
      const refused = yield* Effect.flip(Layer.build(Layer.fresh(layer({ url, directUrl: other }))))
      assert.instanceOf(refused, DirectUrlMismatch)
    }
  }).pipe(Effect.scoped)
)
