/**
 * Tests migrations on Postgres. Processes that start at the same time create the schema only once. Text columns have a
 * byte-order collation. Older versions refuse to run on a newer schema.
 */
import { assert, describe, it } from "@effect/vitest"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import { migrate, names } from "@partner-commentary/sql/Migrations"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import { makeSubmission } from "@partner-commentary/testkit/support/Fixtures"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"

const direct = <A, E>(url: Redacted.Redacted, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(use, Layer.fresh(Postgres.layerMigrationClient({ url })))

/** Reads a table in a transaction, which keeps a lock on the table until the test runs the returned effect. */
const dump = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const begun = yield* Deferred.make<void>()
  const isRead = yield* Deferred.make<void>()
  const reading = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`LOCK TABLE partner_commentary_migrations IN ACCESS SHARE MODE`
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(isRead)
      })
    )
  )
  const reader = yield* Effect.forkChild(direct(url, reading))
  yield* Deferred.await(begun)
  return Effect.andThen(Deferred.succeed(isRead, undefined), Fiber.join(reader))
})

describe("Migrations on Postgres", () => {
  it.effect("if eight processes start on an empty database, one process creates the schema, and all eight start", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.empty
      const made = yield* Effect.forEach(Array.from({ length: 8 }), () => direct(url, migrate), { concurrency: 8 })
      assert.lengthOf(
        made.filter(({ length }) => length > 0),
        1
      )
      assert.deepStrictEqual(yield* direct(url, migrate), [])
      const stores = Layer.fresh(Postgres.layer({ url }))
      yield* Effect.provide(
        Effect.flatMap(TopicStore, (topics) => topics.submit(makeSubmission())),
        stores
      )
    })
  )

  it.effect(
    "every new text column is ordered by bytes, and a table that existed before the migration stays unchanged",
    () =>
      Effect.gen(function* () {
        const url = yield* TestDatabase.empty
        const columns = direct(
          url,
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql<
              Record<string, string | null>
            >`SELECT table_name, collation_name FROM information_schema.columns
            WHERE table_schema = 'public' AND data_type = 'text'`
          )
        )
        yield* direct(
          url,
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE theirs (words TEXT)`)
        )
        yield* direct(url, migrate)
        const found = yield* columns
        assert.isAbove(found.length, 100)
        for (const { collation_name, table_name } of found) {
          assert.strictEqual(collation_name, table_name === "theirs" ? null : "C", table_name ?? "")
        }
      })
  )

  it.effect("a database that a newer version has migrated is refused and stays unchanged", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.fresh
      yield* direct(
        url,
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`INSERT INTO partner_commentary_migrations (migration_id, name) VALUES (9999, 'later')`
        )
      )
      const refused = yield* Effect.flip(direct(url, migrate))
      assert.deepInclude(refused, { _tag: "SchemaTooNew", found: 9999 })
    })
  )

  it.live("if a migration cannot lock a table, the migration fails instead of blocking other users of the table", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.empty
      const begun = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`CREATE TABLE partner_commentary_migrations (migration_id INTEGER PRIMARY KEY,
          created_at TIMESTAMPTZ NOT NULL DEFAULT now(), name TEXT NOT NULL)`
      )
      yield* direct(url, begun)
      const end = yield* dump(url)
      const refused = yield* Effect.timeout(Effect.flip(direct(url, migrate)), "15 seconds")
      assert.deepInclude(refused, { _tag: "SchemaLocked" })
      yield* end
      assert.lengthOf(yield* direct(url, migrate), names.length)
    })
  )

  it.live("a process that starts on the current schema takes no lock, so a running dump does not delay the start", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.fresh
      const end = yield* dump(url)
      assert.deepStrictEqual(yield* Effect.timeout(direct(url, migrate), "3 seconds"), [])
      yield* end
    })
  )

  it.effect("a migration has no statement timeout", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.used
      const [row] = yield* direct(
        url,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT current_setting('statement_timeout') AS timeout`)
      )
      assert.deepStrictEqual({ ...row }, { timeout: "0" })
    })
  )
})
