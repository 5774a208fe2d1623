/** Tests the Postgres client without stores: values, transactions, limits, and recovery after a lost server. */
import { assert, describe, it } from "@effect/vitest"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const config = Effect.map(TestDatabase.used, (url): PostgresClient.PostgresClientConfig => ({ url }))

const on = <A, E, R>(given: Partial<PostgresClient.PostgresClientConfig>, test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(config, (usual) =>
    Effect.provide(test, Layer.fresh(PostgresClient.layer({ ...usual, ...given })))
  ).pipe(Effect.scoped)

/** A barrier at which each caller waits until `count` callers have arrived. */
const together = (count: number) =>
  Effect.map(Deferred.make<void>(), (all) => {
    let here = 0
    return Effect.suspend(() => (++here === count ? Deferred.succeed(all, undefined) : Deferred.await(all)))
  })

const messageOf = (error: unknown) => JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error)

describe("Postgres client", () => {
  it.effect("the Postgres client returns counts and sums as numbers, flags as 0 and 1, and undefined as null", () =>
    on(
      {},
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<
          Record<string, unknown>
        >`SELECT COUNT(*) AS count, MAX(n) AS big, ${undefined} AS nothing,
          ${true}::int AS flag, ${new Date(0)} AS moment, ${"a\0b"} AS text
          FROM (VALUES (9007199254740991::bigint), (1)) AS numbers (n)`
        assert.deepStrictEqual(
          { ...row },
          {
            count: 2,
            big: 9007199254740991,
            nothing: null,
            flag: 1,
            moment: "1970-01-01T00:00:00.000Z",
            text: "a\uFFFDb"
          }
        )
      })
    )
  )

  it.effect("a transaction commits completely or not at all, and afterCommit effects run after the commit", () =>
    on(
      {},
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TEMPORARY TABLE kept (n INTEGER)`.pipe(
          Effect.andThen(sql`DROP TABLE kept`),
          sql.withTransaction
        )
        const seen: Array<string> = []
        const note = (text: string) => sql.afterCommit(Effect.sync(() => void seen.push(text)))
        yield* sql.withTransaction(
          Effect.andThen(
            note("committed"),
            Effect.sync(() => seen.push("in"))
          )
        )
        yield* Effect.flip(sql.withTransaction(Effect.andThen(note("undone"), Effect.fail("refused"))))
        assert.deepStrictEqual(seen, ["in", "committed"])
      })
    )
  )

  it.effect("a transaction that a failed statement has aborted is never reported as committed", () =>
    on(
      {},
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const error = yield* Effect.flip(sql.withTransaction(Effect.ignore(sql`SELECT 1 / 0`)))
        assert.include(error.message + messageOf(error.reason), "rolled back")
      })
    )
  )

  it.effect("the server ends a statement that exceeds its timeout, and a transaction that stays idle too long", () =>
    on(
      { statementTimeout: "200 millis", idleInTransactionTimeout: "200 millis" },
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const slow = yield* Effect.flip(sql`SELECT pg_sleep(20)`)
        assert.strictEqual(slow.reason._tag, "StatementTimeoutError")
        const idle = yield* Effect.flip(
          sql
            .withTransaction(
              Effect.gen(function* () {
                yield* sql`SELECT 1`
                yield* TestClock.withLive(Effect.sleep("600 millis"))
                yield* sql`SELECT 1`
              })
            )
            .pipe(Effect.catchDefect((defect) => Effect.fail(defect)))
        )
        assert.include(messageOf(idle), "SqlError")
        assert.deepStrictEqual(
          (yield* sql`SELECT 1 AS one`).map((row) => ({ ...row })),
          [{ one: 1 }]
        )
      })
    )
  )

  it.effect(
    "while all connections are in use, a caller waits for its timeout in real time, even with a test clock",
    () =>
      on(
        { poolSize: 2, acquireTimeout: "1 second" },
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { inUse } = yield* PostgresClient.PostgresClient
          const release = yield* Deferred.make<void>()
          const bothHold = yield* together(3)
          const held = yield* Effect.forkChild(
            Effect.forEach([1, 2], () => sql.withTransaction(Effect.andThen(bothHold, Deferred.await(release))), {
              concurrency: 2
            })
          )
          yield* bothHold
          const refused = yield* Effect.flip(sql`SELECT 1`)
          assert.strictEqual(refused.reason._tag, "ConnectionError")
          assert.include(messageOf(refused.reason), "all 2 are in use")
          const waiting = yield* Effect.forkChild(sql`SELECT 1`, { startImmediately: true })
          yield* Deferred.succeed(release, undefined)
          yield* Fiber.join(held)
          assert.lengthOf(yield* Fiber.join(waiting), 1)
          assert.strictEqual(inUse(), 0)
        })
      )
  )

  it.effect("broken connections are replaced, and the client continues", () =>
    on(
      { poolSize: 3, applicationName: "cut" },
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { url } = yield* Effect.map(PostgresClient.PostgresClient, ({ config }) => config)
        const allHold = yield* together(3)
        yield* Effect.forEach([1, 2, 3], () => sql.withTransaction(allHold), { concurrency: 3 })
        const [row] = yield* sql<{ readonly name: string }>`SELECT current_setting('application_name') AS name`
        assert.strictEqual(row?.name, "cut")
        const cut = yield* TestDatabase.runOnDatabase(
          url,
          (other) => other`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'cut' AND datname = current_database()`
        )
        assert.lengthOf(cut, 3)
        const left = TestDatabase.runOnDatabase(
          url,
          (other) => other`SELECT pid FROM pg_stat_activity
            WHERE application_name = 'cut' AND datname = current_database()`
        )
        yield* Effect.repeat(left, { until: ({ length }) => length === 0 })
        // The test waits until the client knows that each session has ended.
        yield* TestClock.withLive(Effect.sleep("100 millis"))
        for (let n = 0; n < 6; n++) assert.lengthOf(yield* sql`SELECT 1`, 1)
      })
    )
  )

  it.effect("data corruption is reported until five minutes after the last statement that found corrupt data", () =>
    on(
      {},
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { fault } = yield* PostgresClient.PostgresClient
        const meet = Effect.flip(
          sql.unsafe("DO $$ BEGIN RAISE EXCEPTION 'invalid page in block 7' USING ERRCODE = 'XX001'; END $$")
        )
        const isCorrupt = Effect.map(
          Effect.option(Effect.flip(fault)),
          Option.exists(({ fault }) => fault === "corrupt")
        )
        yield* fault
        yield* meet
        assert.isTrue(yield* isCorrupt)
        yield* TestClock.adjust("299 seconds")
        assert.isTrue(yield* isCorrupt)
        yield* meet
        assert.isTrue(yield* isCorrupt)
        yield* TestClock.adjust("299 seconds")
        assert.isTrue(yield* isCorrupt, "it was met again")
        yield* TestClock.adjust("1 second")
        yield* fault
      })
    )
  )

  it.effect("behind a pooler, the Postgres client prepares no statements and changes no connection settings", () =>
    on(
      { isPooled: true, statementTimeout: "1 second" },
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`SELECT ${1} + 1`
        const [row] = yield* sql<Record<string, unknown>>`SELECT current_setting('statement_timeout') AS timeout,
          (SELECT COUNT(*) FROM pg_prepared_statements) AS prepared`
        assert.strictEqual(row?.["prepared"], 0)
        assert.notStrictEqual(row?.["timeout"], "1s")
      })
    )
  )

  it.effect("errors about an unreachable server, an unknown database or missing TLS do not contain the password", () =>
    Effect.gen(function* () {
      const { url } = yield* config
      const own = new URL(Redacted.value(url))
      const failing = (change: (url: URL) => void) => {
        const changed = new URL(own.href)
        changed.password = "hunter2"
        change(changed)
        return Effect.flip(
          Effect.provide(
            Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`),
            Layer.fresh(PostgresClient.layer({ url: Redacted.make(changed.href) }))
          )
        )
      }
      const unreachable = yield* failing((changed) => {
        changed.port = "1"
      })
      const unknown = yield* failing((changed) => {
        changed.pathname = "/nowhere"
      })
      const plain = yield* failing((changed) => {
        changed.search = "?sslmode=require"
      })
      assert.strictEqual(unreachable.reason._tag, "ConnectionError")
      for (const error of [unreachable, unknown, plain]) assert.notInclude(messageOf(error.reason), "hunter2")
      assert.include(messageOf(unreachable.reason.cause), "ECONNREFUSED")
      assert.include(messageOf(unknown.reason.cause), "nowhere")
      assert.include(messageOf(plain.reason.cause), "TLS")
    }).pipe(Effect.scoped)
  )
})
