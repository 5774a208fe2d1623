/** Tests statements and transactions while another process holds the write lock. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import { LockTimeoutError } from "effect/sql/SqlError"
import { makeTemporaryFolder } from "./TemporaryFolder.ts"

const elapse = (milliseconds: number) =>
  Effect.promise(() => new Promise((resolve) => setTimeout(resolve, milliseconds)))

/**
 * Opens a second connection that sets the counter to 100 in a transaction and stays in this transaction, so it holds
 * the write lock until `release`.
 */
const locked = (filename: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE counter (n INTEGER NOT NULL) STRICT`
    yield* sql`INSERT INTO counter (n) VALUES (0)`
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(filename)),
      (database) => Effect.sync(() => database.close())
    )
    other.exec("BEGIN IMMEDIATE; UPDATE counter SET n = 100")
    const read = Effect.map(sql<{ n: number }>`SELECT n FROM counter`, ([row]) => row?.n)
    const write = Effect.map(sql<{ n: number }>`UPDATE counter SET n = n + 1 RETURNING n`, ([row]) => row?.n)
    const release = Effect.sync(() => other.exec("COMMIT"))
    return { read, write, transaction: sql.withTransaction(write), release }
  })

type Locked = Effect.Success<ReturnType<typeof locked>>

const whileLocked = <A, E>(busyTimeout: Duration.Input, test: (database: Locked) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const filename = join(yield* makeTemporaryFolder, "busy.db")
    yield* Effect.flatMap(locked(filename), test).pipe(
      Effect.scoped,
      Effect.provide(SqliteClient.layer({ filename, busyTimeout }))
    )
  })

describe("Busy retries", () => {
  it.effect("a write waits for the write of another process, and reads continue during the wait", () =>
    whileLocked("1 minute", ({ read, release, transaction, write }) =>
      Effect.gen(function* () {
        const seen: Array<unknown> = []
        const note = (one: typeof read) => Effect.map(one, (n) => seen.push(n))
        const writers = yield* Effect.forEach([transaction, transaction, write], (one) =>
          Effect.forkChild(note(one), { startImmediately: true })
        )
        for (let count = 0; count < 3; count++) {
          yield* elapse(100)
          yield* note(read)
        }
        assert.deepStrictEqual(seen, [0, 0, 0])
        yield* release
        yield* Fiber.joinAll(writers)
        assert.sameMembers(seen, [0, 0, 0, 101, 102, 103])
      })
    )
  )

  it.effect("a write fails after the busy timeout, and a write after the release of the lock succeeds", () =>
    whileLocked("100 millis", ({ read, release, transaction, write }) =>
      Effect.gen(function* () {
        for (const one of [transaction, write]) {
          const { reason } = yield* Effect.flip(one)
          assert.instanceOf(reason, LockTimeoutError)
        }
        assert.strictEqual(yield* read, 0)
        yield* release
        assert.strictEqual(yield* transaction, 101)
        assert.strictEqual(yield* write, 102)
      })
    )
  )

  it.effect("a caller has its own full timeout, even if the caller joins a group that already waits for the lock", () =>
    whileLocked("1 second", ({ release, transaction }) =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(Effect.flip(transaction), { startImmediately: true })
        yield* elapse(500)
        const late = yield* Effect.forkChild(transaction, { startImmediately: true })
        assert.instanceOf((yield* Fiber.join(first)).reason, LockTimeoutError)
        yield* release
        assert.strictEqual(yield* Fiber.join(late), 101)
      })
    )
  )

  it.effect("a caller that is interrupted while waiting writes nothing", () =>
    whileLocked("1 minute", ({ read, release, transaction, write }) =>
      Effect.gen(function* () {
        const waiting = yield* Effect.forEach([transaction, write], (one) =>
          Effect.forkChild(one, { startImmediately: true })
        )
        yield* elapse(50)
        yield* Fiber.interruptAll(waiting)
        yield* release
        assert.strictEqual(yield* transaction, 101)
        assert.strictEqual(yield* read, 101)
      })
    )
  )
})
