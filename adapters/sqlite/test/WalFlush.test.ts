/** Tests the flush of commits outside of the event loop. The tests delay or fail `fdatasync` of Node. */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { makeTemporaryFolder } from "./TemporaryFolder.ts"

type Finish = (error: NodeJS.ErrnoException | null) => void

/** Replaces `fdatasync` of Node. Each call waits in the returned list until the test finishes the call. */
const heldFlushes = Effect.acquireRelease(
  Effect.sync(() => {
    const original = fs.fdatasync
    const held: Array<Finish> = []
    fs.fdatasync = ((_: number, done: Finish) => void held.push(done)) as typeof fs.fdatasync
    syncBuiltinESMExports()
    return { original, held }
  }),
  ({ original }) =>
    Effect.sync(() => {
      fs.fdatasync = original
      syncBuiltinESMExports()
    })
).pipe(Effect.map(({ held }) => held))

const nextTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
const someTurns = Effect.repeat(nextTurn, { times: 5 })

const open = Effect.gen(function* () {
  const path = join(yield* makeTemporaryFolder, "flush.db")
  const client = Context.get(yield* Layer.build(SqliteClient.layer({ filename: path })), SqliteClient.SqliteClient)
  yield* client`CREATE TABLE counter (n INTEGER NOT NULL) STRICT`
  yield* client`INSERT INTO counter (n) VALUES (0)`
  const increment = client.withTransaction(client`UPDATE counter SET n = n + 1`)
  // The first transaction flushes itself within its COMMIT.
  yield* increment
  return { client, increment, flushes: yield* heldFlushes }
})

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("flushes of SQLite commits", () => {
  it.live("a transaction ends only after its commit is on the disk, and the event loop continues meanwhile", () =>
    Effect.gen(function* () {
      const { flushes, increment } = yield* open
      const fiber = yield* started(increment)
      yield* someTurns
      assert.strictEqual(flushes.length, 1)
      assert.isUndefined(fiber.pollUnsafe())
      flushes[0]?.(null)
      yield* Fiber.join(fiber)
    }).pipe(Effect.scoped)
  )

  it.live("a read during a flush waits, so that it never returns a commit that the disk may lose", () =>
    Effect.gen(function* () {
      const { client, flushes, increment } = yield* open
      const writing = yield* started(increment)
      yield* someTurns
      assert.isUndefined(client.readNow("SELECT n FROM counter", []))
      const reading = yield* started(client`SELECT n FROM counter`)
      yield* someTurns
      assert.isUndefined(reading.pollUnsafe())
      flushes[0]?.(null)
      yield* Fiber.join(writing)
      assert.deepStrictEqual(yield* Fiber.join(reading), [{ n: 2 }])
    }).pipe(Effect.scoped)
  )

  it.live("transactions that start during a flush share the next commit and the next flush", () =>
    Effect.gen(function* () {
      const { client, flushes, increment } = yield* open
      const first = yield* started(increment)
      yield* someTurns
      const others = yield* Effect.forEach([1, 2, 3], () => started(increment))
      yield* someTurns
      assert.strictEqual(flushes.length, 1)
      flushes[0]?.(null)
      yield* Fiber.join(first)
      yield* someTurns
      assert.strictEqual(flushes.length, 2)
      flushes[1]?.(null)
      yield* Effect.forEach(others, Fiber.join)
      assert.deepStrictEqual(yield* client`SELECT n FROM counter`, [{ n: 5 }])
    }).pipe(Effect.scoped)
  )

  it.live("a statement outside of a transaction flushes its own commit", () =>
    Effect.gen(function* () {
      const { client, flushes, increment } = yield* open
      const writing = yield* started(increment)
      yield* someTurns
      flushes[0]?.(null)
      yield* Fiber.join(writing)
      yield* client`UPDATE counter SET n = n + 1`
      assert.deepStrictEqual(yield* client`PRAGMA synchronous`, [{ synchronous: 2 }])
      assert.strictEqual(flushes.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("after a failed flush, its transaction and all later statements fail", () =>
    Effect.gen(function* () {
      const { client, flushes, increment } = yield* open
      const writing = yield* started(increment)
      yield* someTurns
      flushes[0]?.(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }))
      assert.isTrue(Exit.isFailure(yield* Fiber.await(writing)))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(client`SELECT n FROM counter`)))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(increment)))
      assert.isUndefined(client.readNow("SELECT n FROM counter", []))
      assert.strictEqual(flushes.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a client closes while a flush runs", () =>
    Effect.gen(function* () {
      const flush = yield* Effect.scoped(
        Effect.gen(function* () {
          const { flushes, increment } = yield* open
          yield* Effect.forkDetach(Effect.ignore(increment), { startImmediately: true })
          yield* someTurns
          return flushes[0]
        })
      )
      flush?.(null)
      yield* someTurns
    })
  )
})
