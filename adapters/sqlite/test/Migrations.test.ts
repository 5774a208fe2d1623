/** Tests that the service refuses a database file that was created by a development version. */
import { assert, it } from "@effect/vitest"
import { migrate, names } from "@partner-commentary/sql/Migrations"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

it.effect("a database that a development version created is refused with a clear error and stays unchanged", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = sql`SELECT migration_id, name FROM partner_commentary_migrations ORDER BY migration_id`
    assert.lengthOf(yield* rows, names.length)
    yield* sql`UPDATE partner_commentary_migrations SET name = 'partners' WHERE migration_id = 1`
    yield* sql`INSERT INTO partner_commentary_migrations (migration_id, name) VALUES (34, 'processes')`
    const before = yield* rows
    const { _tag, message } = yield* Effect.flip(migrate)
    assert.strictEqual(_tag, "SchemaUnreleased")
    assert.include(message, "from before the first release")
    assert.include(message, "start with an empty database")
    assert.deepStrictEqual(yield* rows, before)
  }).pipe(Effect.provide(layerMemory))
)
