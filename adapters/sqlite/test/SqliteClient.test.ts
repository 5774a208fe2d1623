/**
 * Tests the SQLite client with files, a second process and concurrent callers. The folder `bench` contains the speed
 * measurements.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import { UniqueViolation } from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import { makeTemporaryFolder } from "./TemporaryFolder.ts"

const counter = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT`
  yield* sql`INSERT INTO counter (id, n) VALUES (1, 0)`
  const read = Effect.map(sql<{ n: number }>`SELECT n FROM counter WHERE id = 1`, (rows) => rows[0]?.n ?? -1)
  const increment = Effect.gen(function* () {
    const n = yield* read
    yield* Effect.yieldNow
    yield* sql`UPDATE counter SET n = ${n + 1} WHERE id = 1`
    return n + 1
  })
  return { sql, read, increment }
})

const memory = <A, E>(test: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(test, SqliteClient.layer({ filename: ":memory:" }))

/** Counts the commits in the write-ahead log. The last frame of each commit contains the size of the database. */
const commitsIn = (filename: string) => {
  const log = readFileSync(`${filename}-wal`)
  const frame = 24 + log.readUInt32BE(8)
  let commits = 0
  for (let at = 32; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) commits++
  return commits
}

const turns = Effect.andThen(
  Effect.yieldNow,
  Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
)

describe("SQLite client", () => {
  it.effect("a prepared statement returns a column that another process has added", () =>
    Effect.gen(function* () {
      const filename = join(yield* makeTemporaryFolder, "columns.db")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE pairs (a TEXT, b TEXT) STRICT`
        yield* sql`INSERT INTO pairs (a, b) VALUES ('1', '2')`
        const read = sql`SELECT pairs.*, 'last' AS c FROM pairs`
        assert.deepStrictEqual(yield* read, [{ a: "1", b: "2", c: "last" }])
        const other = new DatabaseSync(filename)
        other.exec("ALTER TABLE pairs ADD COLUMN added TEXT")
        other.close()
        assert.deepStrictEqual(yield* read, [{ a: "1", b: "2", added: null, c: "last" }])
      }).pipe(Effect.provide(SqliteClient.layer({ filename })))
    }).pipe(Effect.scoped)
  )

  it.effect("a prepared statement returns the columns of a table that was created again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = sql`SELECT * FROM pairs`
      yield* sql`CREATE TABLE pairs (a TEXT, b TEXT) STRICT`
      yield* sql`INSERT INTO pairs (a, b) VALUES ('1', '2')`
      assert.deepStrictEqual(yield* read, [{ a: "1", b: "2" }])
      yield* sql`ALTER TABLE pairs RENAME COLUMN b TO renamed`
      assert.deepStrictEqual(yield* read, [{ a: "1", renamed: "2" }])
      yield* sql`ALTER TABLE pairs ADD COLUMN added TEXT DEFAULT '3'`
      yield* sql`ALTER TABLE pairs DROP COLUMN a`
      assert.deepStrictEqual(yield* read, [{ renamed: "2", added: "3" }])
      const write = sql`INSERT INTO pairs (renamed) VALUES ('4') RETURNING *`
      assert.deepStrictEqual(yield* write, [{ renamed: "4", added: "3" }])
      yield* sql`ALTER TABLE pairs RENAME COLUMN added TO last`
      assert.deepStrictEqual(yield* write, [{ renamed: "4", last: "3" }])
    }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })))
  )

  it.effect("concurrent transactions share a commit, and each transaction increments the counter exactly once", () =>
    Effect.gen(function* () {
      const filename = join(yield* makeTemporaryFolder, "new", "folder", "counter.db")
      yield* Effect.gen(function* () {
        const { increment, read, sql } = yield* counter
        const before = commitsIn(filename)
        const seen = yield* Effect.all(
          Array.from({ length: 50 }, () => sql.withTransaction(increment)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* read, 50)
        assert.deepStrictEqual(
          seen,
          Array.from({ length: 50 }, (_, i) => i + 1)
        )
        assert.isAtMost(commitsIn(filename) - before, 2)
      }).pipe(Effect.provide(SqliteClient.layer({ filename })))
    })
  )

  it.effect("after a long group of transactions, the event loop turns several times before the next group starts", () =>
    Effect.gen(function* () {
      const { read, sql } = yield* counter
      let turns = 0
      const count = () => {
        turns++
        turning = setImmediate(count)
      }
      let turning = setImmediate(count)
      yield* Effect.addFinalizer(() => Effect.sync(() => clearImmediate(turning)))
      const seen = yield* Effect.all(
        Array.from({ length: 3 }, () =>
          sql.withTransaction(
            Effect.andThen(
              read,
              Effect.map(TestClock.adjust("9 millis"), () => turns)
            )
          )
        ),
        { concurrency: "unbounded" }
      )
      const between = seen.slice(1).map((turn, index) => turn - (seen[index] ?? turn))
      assert.isTrue(
        between.every((count) => count >= 7),
        `turns between the bodies: ${between}`
      )
    }).pipe(Effect.scoped, memory)
  )

  it.effect("committed rows are in the file before and after the client closes", () =>
    Effect.gen(function* () {
      const filename = join(yield* makeTemporaryFolder, "kept.db")
      const stored = () => {
        const other = new DatabaseSync(filename, { readOnly: true })
        const row = other.prepare("SELECT n FROM counter").get()
        other.close()
        return row?.["n"]
      }
      yield* Effect.gen(function* () {
        const { increment, sql } = yield* counter
        const answer = yield* Effect.all([sql.withTransaction(increment), sql.withTransaction(increment)], {
          concurrency: 2
        })
        assert.deepStrictEqual(answer, [1, 2])
        assert.strictEqual(stored(), 2)
        assert.deepStrictEqual({ ...(yield* sql`PRAGMA synchronous`)[0] }, { synchronous: 2 })
        assert.deepStrictEqual({ ...(yield* sql`PRAGMA journal_mode`)[0] }, { journal_mode: "wal" })
        assert.deepStrictEqual({ ...(yield* sql`PRAGMA foreign_keys`)[0] }, { foreign_keys: 1 })
        assert.deepStrictEqual({ ...(yield* sql`PRAGMA busy_timeout`)[0] }, { timeout: 0 })
        assert.deepStrictEqual({ ...(yield* sql`PRAGMA temp_store`)[0] }, { temp_store: 2 })
      }).pipe(Effect.provide(SqliteClient.layer({ filename })))
      assert.strictEqual(stored(), 2)
    })
  )

  it.effect("if the body of one transaction fails or dies, only this transaction is rolled back", () =>
    Effect.gen(function* () {
      const { increment, read, sql } = yield* counter
      const exits = yield* Effect.all(
        [
          increment,
          Effect.andThen(increment, Effect.fail("no")),
          increment,
          Effect.andThen(increment, Effect.die("worse")),
          increment
        ].map((body) => Effect.exit(sql.withTransaction(body))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true, false, true])
      assert.deepStrictEqual(exits[1], Exit.fail("no"))
      assert.strictEqual(yield* read, 3)
    }).pipe(memory)
  )

  it.effect("if the first transaction of a group fails, it changes nothing, and the others are committed", () =>
    Effect.gen(function* () {
      const filename = join(yield* makeTemporaryFolder, "counter.db")
      yield* Effect.gen(function* () {
        const { increment, read, sql } = yield* counter
        const before = commitsIn(filename)
        const failing = sql.withTransaction(Effect.andThen(increment, Effect.fail("no")))
        const bodies = [failing, ...Array.from({ length: 4 }, () => sql.withTransaction(increment))]
        const exits = yield* Effect.all(bodies.map(Effect.exit), { concurrency: "unbounded" })
        assert.deepStrictEqual(exits, [Exit.fail("no"), ...[1, 2, 3, 4].map(Exit.succeed)])
        assert.strictEqual(yield* read, 4)
        assert.strictEqual(commitsIn(filename) - before, 1)
      }).pipe(Effect.provide(SqliteClient.layer({ filename })))
    })
  )

  it.effect("an interrupted transaction rolls back alone, and a transaction interrupted in the queue never runs", () =>
    Effect.gen(function* () {
      const { increment, read, sql } = yield* counter
      const fork = <A, E>(body: Effect.Effect<A, E>) =>
        Effect.forkChild(sql.withTransaction(body), { startImmediately: true })
      const reached = yield* Deferred.make<void>()
      let ran = false
      const first = yield* fork(increment)
      const stuck = yield* fork(
        Effect.andThen(Effect.andThen(increment, Deferred.succeed(reached, undefined)), Effect.never)
      )
      const queued = yield* fork(Effect.sync(() => (ran = true)))
      const last = yield* fork(increment)
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(queued)
      yield* Fiber.interrupt(stuck)
      assert.strictEqual(yield* Fiber.join(first), 1)
      assert.strictEqual(yield* Fiber.join(last), 2)
      assert.isFalse(ran)
      assert.strictEqual(yield* read, 2)
    }).pipe(memory)
  )

  it.effect("if a nested transaction fails, only the changes of the nested transaction are rolled back", () =>
    Effect.gen(function* () {
      const { increment, read, sql } = yield* counter
      const nested = sql.withTransaction(Effect.andThen(increment, Effect.fail("no")))
      const deeper = sql.withTransaction(Effect.andThen(sql.withTransaction(increment), Effect.ignore(nested)))
      yield* sql.withTransaction(
        Effect.all([increment, Effect.ignore(nested), deeper, Effect.ignore(nested)], { discard: true })
      )
      assert.strictEqual(yield* read, 2)
      yield* Effect.ignore(sql.withTransaction(Effect.andThen(deeper, Effect.fail("no"))))
      assert.strictEqual(yield* read, 2)
    }).pipe(memory)
  )

  it.effect(
    "a statement outside of a transaction does not join the open transaction, but waits until that transaction ends",
    () =>
      Effect.gen(function* () {
        const { increment, read, sql } = yield* counter
        const [written, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const body = increment.pipe(
          Effect.andThen(Deferred.succeed(written, undefined)),
          Effect.andThen(Deferred.await(release)),
          Effect.andThen(Effect.fail("no"))
        )
        const open = yield* Effect.forkChild(Effect.exit(sql.withTransaction(body)))
        yield* Deferred.await(written)
        const reader = yield* Effect.forkChild(read, { startImmediately: true })
        const writer = yield* Effect.forkChild(sql`INSERT INTO counter (id, n) VALUES (2, 7)`, {
          startImmediately: true
        })
        yield* turns
        assert.isUndefined(reader.pollUnsafe())
        assert.isUndefined(writer.pollUnsafe())
        yield* Deferred.succeed(release, undefined)
        assert.deepStrictEqual(yield* Fiber.join(open), Exit.fail("no"))
        assert.strictEqual(yield* Fiber.join(reader), 0)
        yield* Fiber.join(writer)
        assert.strictEqual((yield* sql`SELECT * FROM counter`).length, 2)
      }).pipe(memory)
  )

  it.effect("a fiber that continues after its transaction does not join a later transaction", () =>
    Effect.gen(function* () {
      const { increment, read, sql } = yield* counter
      const [go, written] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const failing = Effect.ignore(sql.withTransaction(Effect.andThen(increment, Effect.fail("no"))))
      const late = Effect.all([failing, sql`INSERT INTO counter (id, n) VALUES (2, 7)`], { concurrency: 2 })
      const start = Effect.forkDetach(Effect.andThen(Deferred.await(go), Effect.asVoid(late)))
      const outliving = yield* sql.withTransaction(start)
      const body = Effect.andThen(Effect.andThen(increment, Deferred.succeed(written, undefined)), turns)
      const open = yield* Effect.forkChild(Effect.exit(sql.withTransaction(Effect.andThen(body, Effect.fail("no")))))
      yield* Deferred.await(written)
      yield* Deferred.succeed(go, undefined)
      assert.deepStrictEqual(yield* Fiber.join(open), Exit.fail("no"))
      yield* Fiber.join(outliving)
      assert.strictEqual(yield* read, 0)
      assert.strictEqual((yield* sql`SELECT * FROM counter`).length, 2)
    }).pipe(memory)
  )

  it.effect("afterCommit runs after the commit is visible to other connections, and never after a rollback", () =>
    Effect.gen(function* () {
      const filename = join(yield* makeTemporaryFolder, "after.db")
      yield* Effect.gen(function* () {
        const { increment, sql } = yield* counter
        const other = yield* Effect.acquireRelease(
          Effect.sync(() => new DatabaseSync(filename, { readOnly: true })),
          (database) => Effect.sync(() => database.close())
        )
        const seen: Array<unknown> = []
        const note = Effect.sync(() => void seen.push(other.prepare("SELECT n FROM counter").get()?.["n"]))
        const body = Effect.andThen(increment, sql.afterCommit(note))
        yield* Effect.all(
          [body, Effect.andThen(body, Effect.fail("no")), body].map((body) => Effect.exit(sql.withTransaction(body))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(seen, [2, 2])
      }).pipe(Effect.provide(SqliteClient.layer({ filename })))
    })
  )

  it.effect("every transaction of a group fails when the shared commit fails, and the connection stays usable", () =>
    Effect.gen(function* () {
      const { increment, read, sql } = yield* counter
      yield* sql`CREATE TABLE child (id INTEGER REFERENCES counter (id) DEFERRABLE INITIALLY DEFERRED)`
      const exits = yield* Effect.all(
        [increment, Effect.asVoid(sql`INSERT INTO child (id) VALUES (99)`)].map((body) =>
          Effect.exit(sql.withTransaction(body))
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isFailure), [true, true])
      assert.strictEqual(yield* read, 0)
      assert.strictEqual(yield* sql.withTransaction(increment), 1)
    }).pipe(memory)
  )

  it.effect("a transaction that the database has rolled back is reported as failed", () =>
    Effect.gen(function* () {
      const { increment, read, sql } = yield* counter
      const undoing = Effect.ignore(sql`INSERT OR ROLLBACK INTO counter (id, n) VALUES (1, 0)`)
      const exits = yield* Effect.all(
        [increment, undoing, increment].map((body) => Effect.exit(sql.withTransaction(body))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, false, true])
      assert.strictEqual(yield* read, 1)
    }).pipe(memory)
  )

  it.effect("conflicts of primary keys and of unique indexes are reported as unique violations", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE pair (id TEXT PRIMARY KEY, name TEXT UNIQUE) STRICT`
      yield* sql`INSERT INTO pair ${sql.insert({ id: "a", name: "x" })}`
      for (const row of [
        { id: "a", name: "y" },
        { id: "b", name: "x" }
      ]) {
        const error = yield* Effect.flip(sql`INSERT INTO pair ${sql.insert(row)}`)
        assert.instanceOf(error.reason, UniqueViolation)
      }
    }).pipe(memory)
  )

  it.effect(
    "booleans, dates and undefined can be bound, and values, raw results and streams return the same rows",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const select = sql`SELECT ${true} AS yes, ${new Date(0)} AS at, ${undefined} AS none`
        const expected = { yes: 1, at: "1970-01-01T00:00:00.000Z", none: null }
        assert.deepEqual(yield* select, [expected])
        assert.deepStrictEqual(yield* select.values, [Object.values(expected)])
        assert.deepEqual(yield* select, [expected])
      }).pipe(memory)
  )

  it.effect("a write waits for the write of another process", () =>
    Effect.gen(function* () {
      const filename = join(yield* makeTemporaryFolder, "shared.db")
      yield* Effect.gen(function* () {
        const { increment, sql } = yield* counter
        const other = new Worker(otherWriter, { eval: true, workerData: filename })
        yield* Effect.promise(() => new Promise((resolve) => other.once("message", resolve)))
        assert.strictEqual(yield* sql.withTransaction(increment), 101)
      }).pipe(Effect.provide(SqliteClient.layer({ filename })))
    })
  )
})

const otherWriter = `
const { DatabaseSync } = require("node:sqlite")
const { parentPort, workerData } = require("node:worker_threads")
const database = new DatabaseSync(workerData)
database.exec("BEGIN IMMEDIATE; UPDATE counter SET n = 100")
parentPort.postMessage("writing")
setTimeout(() => { database.exec("COMMIT"); database.close() }, 300)
`
