/** Tests that `metrics rebuild` on SQLite repairs the daily metrics. */
import { assert, it } from "@effect/vitest"
import { rebuildMetrics } from "@partner-commentary/sql/reporting/RebuildMetrics"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import * as MetricsFixture from "@partner-commentary/testkit/performance/MetricsFixture"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

it.effect("metrics rebuild repairs wrong, missing and surplus daily metrics, and does not change topic totals", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { metrics } = yield* MetricsFixture.makeMetricsFixture
    const totals = sql`SELECT * FROM counters WHERE day = '' ORDER BY organization_id, name`
    const [before, totalsBefore] = [yield* metrics, yield* totals]
    yield* sql`UPDATE counters SET total = total + 7 WHERE day <> '' AND name = 'sent'`
    yield* sql`DELETE FROM counters WHERE name = 'approved'`
    yield* sql`UPDATE duration_histograms SET counts = ''`
    yield* sql`INSERT INTO counters (organization_id, environment, day, persona_id, name, total)
      SELECT organization_id, environment, '2020-01-01', persona_id, 'declined', 3 FROM counters WHERE name = 'sent' LIMIT 1`
    assert.notDeepEqual(yield* metrics, before)
    const days = yield* MetricsFixture.runWhileTimePasses(rebuildMetrics)
    assert.strictEqual(days, 3, "two of the owner, and the orphaned one")
    assert.deepStrictEqual(yield* metrics, before)
    assert.deepStrictEqual(yield* totals, totalsBefore)
    assert.deepStrictEqual(yield* sql`SELECT * FROM counters WHERE day = '2020-01-01'`, [])
  }).pipe(Effect.provide(layerMemory))
)
