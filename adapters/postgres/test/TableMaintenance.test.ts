/** Tests the autovacuum settings and the HOT updates of counters, which keep Postgres fast when tables grow. */
import { assert, describe, it } from "@effect/vitest"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

describe("Maintenance of Postgres tables", () => {
  it.effect(
    "counters have free space in pages and no index beside the primary key, and large tables are vacuumed often",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<
          Record<string, string | number>
        >`SELECT relname, array_to_string(reloptions, ' ') AS options
        FROM pg_class WHERE relname IN ('counters', 'duration_histograms', 'usage_months', 'topics', 'mails') ORDER BY relname`
        const options = new Map(rows.map(({ options, relname }) => [relname, options]))
        assert.strictEqual(options.get("counters"), "fillfactor=70")
        assert.strictEqual(options.get("duration_histograms"), "fillfactor=70")
        assert.strictEqual(options.get("usage_months"), "fillfactor=50")
        assert.include(options.get("topics"), "autovacuum_analyze_scale_factor=0.02")
        assert.include(options.get("mails"), "autovacuum_vacuum_scale_factor=0.02")
        const indexed = yield* sql<Record<string, string>>`SELECT DISTINCT a.attname AS name
        FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid IN ('counters'::regclass, 'usage_months'::regclass, 'duration_histograms'::regclass)`
        assert.deepStrictEqual(
          indexed.map(({ name }) => name).toSorted(),
          ["day", "environment", "name", "organization_id", "period", "persona_id", "stage"],
          "columns with an index"
        )
      }).pipe(Effect.provide(TestDatabase.layer))
  )
})
