/** Tests the read transaction that direct reads share in one turn of the event loop. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeTemporaryFolder } from "./TemporaryFolder.ts"

const open = Effect.fnUntraced(function* (sharesReads: boolean) {
  const path = join(yield* makeTemporaryFolder, "reads.db")
  const client = Context.get(
    yield* Layer.build(SqliteClient.layer({ filename: path, sharesReads })),
    SqliteClient.SqliteClient
  )
  yield* client`CREATE TABLE counter (n INTEGER NOT NULL) STRICT`
  yield* client`INSERT INTO counter (n) VALUES (0)`
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(path)),
    (database) => Effect.sync(() => database.close())
  )
  return {
    client,
    read: () => client.readNow<{ readonly n: number }>("SELECT n FROM counter", [])?.[0]?.n,
    incrementElsewhere: () => other.exec("UPDATE counter SET n = n + 1")
  }
})

const nextTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

describe("shared reads of SQLite", () => {
  it.effect("direct reads of one turn see the same data, and the next turn sees newer data", () =>
    Effect.gen(function* () {
      const { incrementElsewhere, read } = yield* open(true)
      assert.strictEqual(read(), 0)
      incrementElsewhere()
      assert.strictEqual(read(), 0)
      yield* nextTurn
      assert.strictEqual(read(), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("without shared reads, each direct read sees the latest commit", () =>
    Effect.gen(function* () {
      const { incrementElsewhere, read } = yield* open(false)
      assert.strictEqual(read(), 0)
      incrementElsewhere()
      assert.strictEqual(read(), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("statements, transactions and rollbacks work as usual after a direct read in the same turn", () =>
    Effect.gen(function* () {
      const { client, incrementElsewhere, read } = yield* open(true)
      assert.strictEqual(read(), 0)
      incrementElsewhere()
      yield* client`UPDATE counter SET n = n + 1`
      assert.strictEqual(read(), 2)
      yield* client.withTransaction(client`UPDATE counter SET n = n + 1`)
      assert.strictEqual(read(), 3)
      yield* Effect.ignore(
        client.withTransaction(Effect.andThen(client`UPDATE counter SET n = 9`, Effect.fail("rolled back")))
      )
      assert.strictEqual(read(), 3)
      assert.deepStrictEqual(yield* client`SELECT n FROM counter`, [{ n: 3 }])
    }).pipe(Effect.scoped)
  )

  it.effect("a direct read within a transaction returns no result", () =>
    Effect.gen(function* () {
      const { client, read } = yield* open(true)
      assert.strictEqual(read(), 0)
      assert.strictEqual(yield* client.withTransaction(Effect.sync(read)), undefined)
    }).pipe(Effect.scoped)
  )

  it.effect("a failed read leaves the connection usable, and the client can close after a direct read", () =>
    Effect.gen(function* () {
      const { client, read } = yield* open(true)
      assert.strictEqual(client.readNow("SELECT n FROM missing", []), undefined)
      assert.strictEqual(read(), 0)
    }).pipe(Effect.scoped, Effect.andThen(nextTurn))
  )
})
