/**
 * Tests that the service inspects a database before the service changes anything. The file also tests the errors that
 * an unsuitable database causes.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as Heartbeat from "@partner-commentary/sql/database/Heartbeat"
import * as WriteAccess from "@partner-commentary/sql/database/WriteAccess"
import { allMigrations, make, migrate, names, schemaStatus } from "@partner-commentary/sql/Migrations"
import * as OlderProcesses from "@partner-commentary/sql/migrations/OlderProcesses"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const direct = <A, E>(url: Redacted.Redacted, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(use, Layer.fresh(Postgres.layerMigrationClient({ url })))

const run = (url: Redacted.Redacted, statement: string) =>
  direct(
    url,
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Readonly<Record<string, unknown>>>(statement))
  )

const changed = (url: Redacted.Redacted, change: (own: URL) => void) => {
  const own = new URL(Redacted.value(url))
  change(own)
  return Redacted.make(own.href)
}

const nameOf = (url: Redacted.Redacted) => new URL(Redacted.value(url)).pathname.slice(1)

/**
 * Creates a role without privileges. When the scope closes, the databases that the test created are dropped before the
 * role.
 */
const role = Effect.gen(function* () {
  const url = yield* TestDatabase.empty
  const name = `Role ${nameOf(url)}`
  yield* Effect.acquireRelease(run(url, `CREATE ROLE "${name}" LOGIN PASSWORD 'x'`), () =>
    Effect.orDie(run(url, `DROP ROLE "${name}"`))
  )
  const as = (own: URL) => {
    own.username = encodeURIComponent(name)
    own.password = "x"
  }
  return { name: `"${name}"`, on: (database: Redacted.Redacted) => changed(database, as) }
})

/** The test polls in real time, because the server does not follow the test clock. */
const eventually = <E>(isSo: Effect.Effect<boolean, E>): Effect.Effect<void, E> =>
  Effect.flatMap(isSo, (done) =>
    done
      ? Effect.void
      : Effect.andThen(
          Effect.promise(() => new Promise((go) => setTimeout(go, 5))),
          eventually(isSo)
        )
  )

const refusal = (url: Redacted.Redacted) => Effect.map(Effect.flip(direct(url, migrate)), ({ message }) => message)

const obstacle = (url: Redacted.Redacted) =>
  direct(
    url,
    Effect.map(Effect.flatMap(schemaStatus, WriteAccess.findWriteObstacle), (found) =>
      Option.match(found, { onNone: () => "", onSome: ({ message }: Error) => message })
    )
  )

describe("Schema status of a Postgres database", () => {
  it.effect("a database in which an older migration is missing is refused with a clear error and stays unchanged", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.fresh
      yield* run(url, "DELETE FROM partner_commentary_migrations WHERE migration_id IN (4, 7)")
      const sentence = yield* refusal(url)
      assert.include(sentence, "not the migrations 0004_mails, 0007_metrics before it")
      assert.include(sentence, "Restore the backup")
      assert.isTrue(Result.isFailure(yield* Effect.result(direct(url, schemaStatus))))
    })
  )

  it.effect(
    "a migration that requires a stop of older processes is refused while an older process has a recent heartbeat",
    () =>
      Effect.gen(function* () {
        const url = yield* TestDatabase.fresh
        const [clock] = yield* run(url, "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS FLOAT8) AS now")
        const now = Number(clock?.["now"])
        yield* run(url, "DELETE FROM partner_commentary_migrations WHERE migration_id > 6")
        const exclusive = new Set(["0007_metrics"])
        const check = direct(url, OlderProcesses.failIfOlderProcessesRun(names, exclusive))
        const process = (id: string, schema: number, seen: number) =>
          run(url, `INSERT INTO processes VALUES ('${id}', '0.0.1', ${schema}, '', '${Instant.toIso(seen)}')`)
        yield* process("newer", 8, now)
        yield* process("dead", 6, now - 61_000)
        yield* process("of a wrong clock", 6, now + 3_600_000)
        yield* TestClock.setTime(now)
        yield* check
        yield* process("alive", 6, now - 30_000)
        const { message: sentence } = yield* Effect.flip(direct(url, make(allMigrations, exclusive).migrate))
        assert.include(sentence, "The migration 0007_metrics needs every older process stopped")
        assert.include(sentence, `one older process is alive, last seen at ${Instant.toIso(now - 30_000)}`)
        yield* run(url, "DELETE FROM processes WHERE id = 'alive'")
        yield* check
      })
  )

  it.effect("a process is listed from its start to its stop, but not if the database has a newer schema", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.fresh
      yield* TestClock.setTime(Date.UTC(2026, 0, 30))
      const seen = run(url, "SELECT version, seen_at FROM processes")
      const alive = Layer.provide(
        Layer.provide(Heartbeat.layer("1.2.3"), SecureRandom.layerWebCrypto),
        Postgres.layerInspectionClient({ url })
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(Layer.fresh(alive))
          assert.deepStrictEqual(
            (yield* seen).map((row) => ({ ...row })),
            [{ version: "1.2.3", seen_at: "2026-01-30T00:00:00.000Z" }]
          )
          yield* TestClock.adjust("20 seconds")
          yield* eventually(Effect.map(seen, ([row]) => row?.["seen_at"] === "2026-01-30T00:00:20.000Z"))
        })
      )
      assert.deepStrictEqual(yield* seen, [])
      yield* run(url, "INSERT INTO partner_commentary_migrations (migration_id, name) VALUES (9000, 'later')")
      const error = yield* Effect.flip(Effect.scoped(Layer.build(Layer.fresh(alive))))
      assert.strictEqual(error._tag, "SchemaTooNew")
      assert.deepStrictEqual(yield* seen, [])
    })
  )

  it.live("a Postgres database can be inspected while another session changes tables, and stays unchanged", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.fresh
      const [first, ...others] = names
      yield* run(url, "DELETE FROM partner_commentary_migrations WHERE migration_id > 1")
      const seen = yield* direct(
        url,
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql.withTransaction(
            Effect.andThen(
              sql`LOCK TABLE organizations, topics, assignments IN ACCESS EXCLUSIVE MODE`,
              Effect.timeout(direct(url, schemaStatus), "3 seconds")
            )
          )
        )
      )
      assert.deepStrictEqual(seen.left, others)
      const kept = yield* run(url, "SELECT name FROM partner_commentary_migrations")
      assert.deepStrictEqual(
        kept.map(({ name }) => `0001_${name}`),
        [first]
      )
    })
  )

  it.effect("an empty Postgres database is distinguished from a database with tables of another application", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.empty
      assert.deepInclude(yield* direct(url, schemaStatus), { newest: 0, isEmpty: true, left: [...names] })
      yield* run(url, "CREATE TABLE theirs (words TEXT)")
      assert.deepInclude(yield* direct(url, schemaStatus), { newest: 0, isEmpty: false, left: [...names] })
    })
  )

  it.effect(
    "a Postgres database with another encoding than UTF8 is refused with a clear error and stays unchanged",
    () =>
      Effect.gen(function* () {
        const template = yield* TestDatabase.empty
        const name = `${nameOf(template)}_latin`
        yield* Effect.acquireRelease(
          run(template, `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`),
          () => Effect.orDie(run(template, `DROP DATABASE ${name} WITH (FORCE)`))
        )
        const url = changed(template, (own) => {
          own.pathname = `/${name}`
        })
        assert.include(yield* refusal(url), "The encoding of the database is LATIN1, and must be UTF8")
        assert.deepStrictEqual(yield* run(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'"), [])
      })
  )

  it.effect(
    "if the role may not create tables, the error contains the GRANT statement that gives the role this privilege",
    () =>
      Effect.gen(function* () {
        const { name, on } = yield* role
        const url = yield* TestDatabase.empty
        const sentence = yield* refusal(on(url))
        assert.include(sentence, "may not create tables in the schema public")
        const [grant = ""] = /GRANT [^.]+/.exec(sentence) ?? []
        assert.strictEqual(grant, `GRANT CREATE ON SCHEMA public TO ${name}`)
        yield* run(url, "REVOKE USAGE ON SCHEMA public FROM PUBLIC")
        const shut = yield* refusal(on(url))
        assert.include(shut, `GRANT USAGE, CREATE ON SCHEMA public TO ${name}`)
        yield* run(url, /GRANT [^.]+/.exec(shut)?.[0] ?? "")
        assert.lengthOf(yield* direct(on(url), migrate), names.length)
      })
  )

  it.effect("a read-only Postgres database is reported, and no migration starts", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.fresh
      assert.strictEqual(yield* obstacle(url), "")
      yield* run(url, `ALTER DATABASE ${nameOf(url)} SET default_transaction_read_only = on`)
      assert.include(yield* obstacle(url), "transaction_read_only is on")
      assert.deepStrictEqual(yield* direct(url, migrate), [])
      const other = yield* TestDatabase.empty
      yield* run(other, `ALTER DATABASE ${nameOf(other)} SET default_transaction_read_only = on`)
      assert.include(yield* refusal(other), "transaction_read_only is on")
    })
  )

  it.effect("missing privileges are reported for a database that the role may only read", () =>
    Effect.gen(function* () {
      const { name, on } = yield* role
      const url = yield* TestDatabase.fresh
      yield* run(url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`)
      const sentence = yield* obstacle(on(url))
      assert.include(sentence, `The role ${name} lacks privileges: DELETE ON api_keys; INSERT ON api_keys;`)
      yield* run(url, `GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}`)
      yield* run(url, `REVOKE UPDATE, DELETE ON audit_log FROM ${name}`)
      assert.strictEqual(yield* obstacle(on(url)), "")
      yield* run(url, `REVOKE INSERT ON audit_log FROM ${name}`)
      assert.include(yield* obstacle(on(url)), "lacks privileges: INSERT ON audit_log.")
    })
  )

  it.effect("the privilege check of a Postgres database includes every table that the migrations create", () =>
    Effect.gen(function* () {
      const made = yield* run(
        yield* TestDatabase.used,
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'partner_commentary_migrations'`
      )
      assert.deepStrictEqual(made.map(({ name }) => name).sort(), [...WriteAccess.writtenTables].sort())
    })
  )
})
