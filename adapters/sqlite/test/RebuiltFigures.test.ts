/** `metrics rebuild` on SQLite: figures that were falsified are what the assignments say again. */
import { assert, it } from "@effect/vitest"
import { rebuild } from "@partner-commentary/sql/reporting/RebuiltFigures"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import * as FiguresScene from "@partner-commentary/testkit/performance/FiguresScene"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

it.effect("falsified, missing and invented figures of days are rebuilt; totals of topics stay", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { told } = yield* FiguresScene.make
    const totals = sql`SELECT * FROM tallies WHERE day = '' ORDER BY organization_id, name`
    const [kept, stay] = [yield* told, yield* totals]
    yield* sql`UPDATE tallies SET total = total + 7 WHERE day <> '' AND name = 'sent'`
    yield* sql`DELETE FROM tallies WHERE name = 'approved'`
    yield* sql`UPDATE performance_times SET recent = '', folded = ''`
    yield* sql`INSERT INTO tallies (organization_id, environment, day, persona_id, name, total)
      SELECT organization_id, environment, '2020-01-01', persona_id, 'declined', 3 FROM tallies WHERE name = 'sent' LIMIT 1`
    assert.notDeepEqual(yield* told, kept)
    const days = yield* FiguresScene.asTimePasses(rebuild)
    assert.strictEqual(days, 3, "two of the owner and one that was invented")
    assert.deepStrictEqual(yield* told, kept)
    assert.deepStrictEqual(yield* totals, stay)
    assert.deepStrictEqual(yield* sql`SELECT * FROM tallies WHERE day = '2020-01-01'`, [])
  }).pipe(Effect.provide(layerMemory))
)
