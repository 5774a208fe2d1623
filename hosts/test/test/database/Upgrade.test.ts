/**
 * Tests that a database of every earlier release, with data, can be upgraded to the current schema. Each release adds a
 * file of rows that never changes.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { summarizeMetrics } from "@partner-commentary/core/performance/Metrics"
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import type { OrganizationId, TopicId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { EventLog } from "@partner-commentary/core/webhook/EventLog"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import { allMigrations, make, migrate, names } from "@partner-commentary/sql/Migrations"
import * as Stores from "@partner-commentary/sql/Stores"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * Lists the last migration of each release. For each release, a JSON file with the migration's name contains test rows.
 */
const releases = ["0009_operations"]

type Rows = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>

const rowsOf = (release: string): Rows => JSON.parse(readFileSync(new URL(`${release}.json`, import.meta.url), "utf8"))

const owner: Owner = { organizationId: "0198c0de-0000-7000-8000-000000000004" as OrganizationId, environment: "live" }
const start = Date.parse("2026-01-30T00:00:00.000Z")

const columns = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => sql`SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name
      FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2`,
    orElse: () => sql`SELECT t.name AS table_name, c.name, c.type, c."notnull", c.dflt_value
      FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, 2`
  })
)

/** Creates a database with the schema and the rows of a release. */
const install = Effect.fnUntraced(function* (release: string) {
  const sql = yield* SqlClient.SqlClient
  const migrations = Object.fromEntries(Object.entries(allMigrations).filter(([name]) => name <= release))
  yield* make(migrations, new Set()).migrate
  for (const [table, rows] of Object.entries(rowsOf(release))) {
    for (const row of rows) yield* sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`
  }
})

const suite = <E>(name: string, empty: Layer.Layer<SqlClient.SqlClient, E>) =>
  describe(name, () => {
    for (const release of releases) {
      it.effect(
        `a database with the schema ${release} is migrated to the current schema, and the stored data can be read`,
        () =>
          Effect.gen(function* () {
            const { topics: [topic] = [] } = rowsOf(release)
            yield* install(release)
            assert.deepStrictEqual(
              (yield* migrate).map(([id]) => id),
              names.filter((one) => one > release).map((one) => Number.parseInt(one, 10))
            )
            const upgraded = yield* columns
            const fresh = yield* Effect.provide(Effect.andThen(migrate, columns), Layer.fresh(empty))
            assert.deepStrictEqual(upgraded, fresh)
            yield* Effect.provide(
              Effect.gen(function* () {
                const found = Option.getOrThrow(yield* (yield* TopicStore).find(owner, topic?.["id"] as TopicId))
                assert.deepInclude(found.topic, { content: "Who wins the derby on Sunday?", status: "completed" })
                assert.deepStrictEqual(
                  found.assignments.map(({ failure, status }) => [status, failure?.reason]),
                  [
                    ["creator_approved", undefined],
                    ["declined", "declined"]
                  ]
                )
                const page = { owner, type: null, limit: 10, maxBytes: 100_000 }
                const log = yield* EventLog
                const backward = yield* log.page({ ...page, since: 0, behind: null, forward: false })
                const forward = yield* log.page({ ...page, since: 0, behind: null, forward: true })
                assert.deepStrictEqual(
                  forward.events.map(({ id }) => id),
                  backward.events.map(({ id }) => id).toReversed()
                )
                assert.isNotEmpty(forward.events)
                const days = yield* (yield* PerformanceStore).days(owner, start, null)
                const [ada] = days.filter(({ personaName }) => personaName === "Ada")
                assert.strictEqual(days.length, 2)
                const { approval, counts } = summarizeMetrics(ada?.metrics ?? assert.fail("no metrics"))
                assert.deepInclude(counts, { sent: 1, approved: 1 })
                assert.deepStrictEqual(approval, { count: 1, median: 7_200_000, p90: 7_200_000 })
              }),
              Stores.layer
            )
          }).pipe(Effect.provide(Layer.fresh(empty)))
      )
    }
  })

suite("SQLite", SqliteClient.layer({ filename: ":memory:" }))
suite("Postgres", Layer.unwrap(Effect.map(TestDatabase.empty, (url) => Postgres.layerMigrationClient({ url }))))
