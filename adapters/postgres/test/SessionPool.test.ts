/** Tests that the pool discards unusable sessions, and lends its sessions to organizations in fair turns. */
import { assert, describe, it } from "@effect/vitest"
import * as DatabaseBusy from "@partner-commentary/core/shared/DatabaseBusy"
import { CurrentFairShare, DefaultScheduler } from "@partner-commentary/core/shared/FairShare"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Scheduler from "effect/Scheduler"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

const poolSize = 3

const databaseOf = (url: Redacted.Redacted) => new URL(Redacted.value(url)).pathname.slice(1)

/** Runs a statement as the owner of the server, over a connection to another database. */
const administer = (url: Redacted.Redacted, statement: string) => {
  const own = new URL(Redacted.value(url))
  own.pathname = "/postgres"
  return TestDatabase.runOnDatabase(Redacted.make(own.href), (sql) => sql.unsafe(statement))
}

const onPool = <A, E>(use: (sql: SqlClient.SqlClient, url: Redacted.Redacted) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.empty
    yield* TestDatabase.runOnDatabase(url, (sql) => sql`CREATE TABLE kept (n INTEGER)`)
    const layer = PostgresClient.layer({ url, poolSize })
    return yield* Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => use(sql, url)),
      Layer.fresh(layer)
    )
  }).pipe(Effect.scoped)

/** Runs the effect once on each session of the pool, concurrently. */
const onEachSession = <A, E>(sql: SqlClient.SqlClient, run: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const all = yield* Deferred.make<void>()
    let here = 0
    const together = Effect.suspend(() =>
      ++here === poolSize ? Deferred.succeed(all, undefined) : Deferred.await(all)
    )
    return yield* Effect.forEach(
      Array.from({ length: poolSize }),
      () => Effect.result(sql.withTransaction(Effect.andThen(Effect.andThen(sql`SELECT 1`, together), run))),
      { concurrency: poolSize }
    )
  })

const successes = (results: ReadonlyArray<{ readonly _tag: string }>) =>
  results.filter(({ _tag }) => _tag === "Success").length

const codeOf = (error: unknown) =>
  isSqlError(error) ? (error.reason.cause as { readonly code?: string }).code : undefined

/** A transaction that holds the pool's only session until the test ends the transaction. */
const held = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [begun, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const begins = Effect.andThen(sql`SELECT 1`, Deferred.succeed(begun, undefined))
  const transaction = sql.withTransaction(Effect.andThen(begins, Deferred.await(over)))
  const holder = yield* Effect.forkChild(
    Effect.provideService(transaction, CurrentFairShare, { owner: "holder", isFrequent: false })
  )
  yield* Effect.raceFirst(Deferred.await(begun), Fiber.join(holder))
  return Effect.andThen(Deferred.succeed(over, undefined), Fiber.join(holder))
})

/** Starts work that waits for a session, and records the order in which the organizations get a session. */
const queue = () => {
  const served: Array<string> = []
  const asked = (owner: string, work: Effect.Effect<unknown, SqlError>, isFrequent = false) =>
    work.pipe(
      Effect.andThen(Effect.sync(() => served.push(owner))),
      Effect.provideService(CurrentFairShare, { owner, isFrequent }),
      Effect.forkChild({ startImmediately: true })
    )
  return { asked, served }
}

/** Starts the work of an organization on a fair scheduler. The organization gets a turn when the test runs a task. */
const onFairScheduler = Effect.fnUntraced(function* <A, E>(
  work: Effect.Effect<A, E>,
  scheduleTask: (task: () => void) => void
) {
  const dispatcher = { scheduleTask, flush: () => {} }
  const fair = { executionMode: "async" as const, shouldYield: () => false, makeDispatcher: () => dispatcher }
  return yield* work.pipe(
    Effect.provideService(CurrentFairShare, { owner: "waits", isFrequent: false, scheduler: fair }),
    Effect.provideService(Scheduler.Scheduler, fair),
    Effect.provideService(DefaultScheduler, yield* Scheduler.Scheduler),
    Effect.forkChild({ startImmediately: true })
  )
})

describe("Session pool", () => {
  it.live("the session pool serves reads from a read-only database, and does not keep its read-only sessions", () =>
    onPool((sql, url) =>
      Effect.gen(function* () {
        yield* administer(url, `ALTER DATABASE ${databaseOf(url)} SET default_transaction_read_only = on`)
        assert.strictEqual(successes(yield* onEachSession(sql, sql`INSERT INTO kept VALUES (1)`)), 0)
        assert.strictEqual(successes(yield* onEachSession(sql, sql`SELECT n FROM kept`)), poolSize)
        yield* administer(url, `ALTER DATABASE ${databaseOf(url)} RESET default_transaction_read_only`)
        assert.strictEqual(successes(yield* onEachSession(sql, sql`INSERT INTO kept VALUES (2)`)), poolSize)
      })
    )
  )

  it.live("when a write is refused as read-only, the session pool replaces all its sessions", () =>
    onPool((sql) =>
      Effect.gen(function* () {
        yield* onEachSession(sql, sql`SET default_transaction_read_only = on`)
        const refused = yield* Effect.flip(sql`INSERT INTO kept VALUES (1)`)
        assert.strictEqual(codeOf(refused), "25006")
        assert.strictEqual(successes(yield* onEachSession(sql, sql`INSERT INTO kept VALUES (2)`)), poolSize)
      })
    )
  )

  it.live(
    "the session pool discards a session that the server has ended, even if a pooler keeps the connection open",
    () =>
      onPool((sql) =>
        Effect.gen(function* () {
          const processOf = Effect.map(
            sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`,
            ([row]) => row?.pid
          )
          const raise = (code: string) =>
            Effect.flip(sql.unsafe(`DO $$ BEGIN RAISE EXCEPTION 'ends' USING ERRCODE = '${code}'; END $$`))
          for (const code of ["08006", "57P01", "57P02", "57P03", "25P03", "25P04"]) {
            const before = yield* processOf
            assert.strictEqual(codeOf(yield* raise(code)), code)
            assert.notStrictEqual(yield* processOf, before, code)
          }
          const kept = yield* processOf
          assert.strictEqual(codeOf(yield* raise("22012")), "22012")
          assert.strictEqual(yield* processOf, kept)
        })
      )
  )

  it.live(
    "the session pool serves a single request of one organization before the long queue of another organization",
    () =>
      Effect.gen(function* () {
        const url = yield* TestDatabase.empty
        const sql = yield* PostgresClient.make({ url, poolSize: 1 })
        const { asked, served } = queue()
        const free = yield* held(sql)
        const statement = sql`SELECT 1`
        const fibers = []
        for (let each = 0; each < 5; each++) {
          fibers.push(yield* asked("busy", statement), yield* asked("busy", sql.withTransaction(statement)))
        }
        fibers.push(yield* asked("quiet", statement), yield* asked("calm", sql.withTransaction(statement)))
        yield* free
        yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        assert.deepStrictEqual(served.slice(0, 4), ["busy", "quiet", "calm", "busy"])
        assert.lengthOf(served, 12)
        assert.strictEqual(sql.inUse(), 0)
      }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("work that belongs to no organization gets the next free session, even if many organizations wait", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.empty
      const sql = yield* PostgresClient.make({ url, poolSize: 1 })
      const { asked, served } = queue()
      const free = yield* held(sql)
      const fibers = yield* Effect.forEach(["first", "second", "third", ""], (share) => asked(share, sql`SELECT 1`))
      yield* free
      yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      assert.deepStrictEqual(served, ["", "first", "second", "third"])
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("frequent operations get half of the sessions, even if other operations of many organizations wait", () =>
    onPool((sql) =>
      Effect.gen(function* () {
        const { asked, served } = queue()
        const over = yield* Deferred.make<void>()
        const long = sql.withTransaction(Effect.andThen(sql`SELECT 1`, Deferred.await(over)))
        const others = yield* Effect.forEach(["first", "second", "third"], (owner) => asked(owner, long))
        yield* Fiber.join(yield* asked("quick", sql`SELECT 1`, true))
        assert.deepStrictEqual(served, ["quick"])
        yield* Deferred.succeed(over, undefined)
        yield* Effect.forEach(others, (fiber) => Fiber.join(fiber))
        assert.deepStrictEqual(served.toSorted(), ["first", "quick", "second", "third"])
      })
    )
  )

  /** Starts a statement that waits for the only session, and ends the transaction that holds the session. */
  const waitsForTurn = Effect.gen(function* () {
    const sql = yield* PostgresClient.make({ url: yield* TestDatabase.empty, poolSize: 1 })
    const free = yield* held(sql)
    const queued = yield* Deferred.make<() => void>()
    const waits = yield* onFairScheduler(sql`SELECT 1`, (task) => Deferred.doneUnsafe(queued, Effect.succeed(task)))
    yield* free
    return { sql, waits, turn: yield* Deferred.await(queued) }
  })

  it.live("an operation that has waited for a session starts in its organization's turn, and holds none before", () =>
    Effect.gen(function* () {
      const { sql, turn, waits } = yield* waitsForTurn
      const frequent = { owner: "other", isFrequent: true }
      assert.lengthOf(yield* Effect.provideService(sql`SELECT 1`, CurrentFairShare, frequent), 1)
      assert.isUndefined(waits.pollUnsafe())
      turn()
      assert.lengthOf(yield* Fiber.join(waits), 1)
      assert.strictEqual(sql.inUse(), 0)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("an operation that is interrupted while it waits for its turn leaves its sessions to others", () =>
    Effect.gen(function* () {
      const { sql, waits } = yield* waitsForTurn
      yield* Fiber.interrupt(waits)
      assert.strictEqual(sql.inUse(), 0)
      const other = { owner: "other", isFrequent: false }
      assert.lengthOf(yield* Effect.provideService(sql`SELECT 1`, CurrentFairShare, other), 1)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("an operation that need not wait for a session also needs no turn", () =>
    Effect.gen(function* () {
      const sql = yield* PostgresClient.make({ url: yield* TestDatabase.empty, poolSize: 1 })
      const turns: Array<() => void> = []
      const starts = yield* onFairScheduler(sql`SELECT 1`, (task) => turns.push(task))
      assert.lengthOf(yield* Fiber.join(starts), 1)
      assert.lengthOf(turns, 0)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("reads of one organization leave a session to the reads of other organizations", () =>
    Effect.gen(function* () {
      const sql = yield* PostgresClient.make({
        url: yield* TestDatabase.empty,
        poolSize: 4,
        acquireTimeout: "1 second"
      })
      const { asked, served } = queue()
      const over = yield* Deferred.make<void>()
      const long = sql.withTransaction(Effect.andThen(sql`SELECT 1`, Deferred.await(over)))
      const many = yield* Effect.forEach([1, 2, 3, 4], () => asked("many", long))
      yield* Fiber.join(yield* asked("few", sql`SELECT 1`))
      assert.deepStrictEqual(served, ["few"])
      yield* Deferred.succeed(over, undefined)
      const exits = yield* Effect.forEach(many, (fiber) => Effect.exit(Fiber.join(fiber)))
      assert.lengthOf(exits, 4)
      assert.strictEqual(sql.inUse(), 0)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("a returned session goes to the next caller, even if the former holder waits for its turn", () =>
    Effect.gen(function* () {
      const sql = yield* PostgresClient.make({ url: yield* TestDatabase.empty, poolSize: 1 })
      yield* sql`SELECT 1`
      yield* onFairScheduler(sql`SELECT pg_sleep(0.1)`, () => {})
      assert.lengthOf(yield* Effect.timeout(sql`SELECT 1`, "5 seconds"), 1)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("an interrupted wait takes no session, and a wait that exceeds the timeout fails with a clear error", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.empty
      const sql = yield* PostgresClient.make({ url, poolSize: 1, acquireTimeout: "50 millis" })
      // The timeout includes the time to connect, which is longer on a busy machine.
      yield* Effect.eventually(sql`SELECT 1`)
      const free = yield* held(sql)
      yield* Fiber.interrupt(yield* Effect.forkChild(sql`SELECT 1`, { startImmediately: true }))
      const late = yield* Effect.flip(sql`SELECT 1`)
      assert.strictEqual(late.reason.message, "No connection became free, all 1 are in use")
      assert.isTrue(DatabaseBusy.isDatabaseBusyFailure(Cause.die(late)))
      yield* free
      assert.lengthOf(yield* sql`SELECT 1`, 1)
      assert.strictEqual(sql.inUse(), 0)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("the session pool does not reuse a reserved session", () =>
    onPool((sql, url) =>
      Effect.gen(function* () {
        const client = yield* PostgresClient.make({ url, poolSize: 1 })
        const first = yield* Effect.scoped(Effect.map(client.reserveSession, ({ processId }) => processId))
        const second = yield* Effect.scoped(Effect.map(client.reserveSession, ({ processId }) => processId))
        assert.notStrictEqual(first, second)
        assert.lengthOf(yield* sql`SELECT 1`, 1)
      }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
    )
  )
})
