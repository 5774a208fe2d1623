/**
 * Tests the health check of an SQLite file that is full, read-only, corrupt or moved, and how rarely the health check
 * writes.
 */
import { openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DatabaseHealth } from "@partner-commentary/core/operations/DatabaseHealth"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { makeTemporaryFolder } from "./TemporaryFolder.ts"

const pageSize = 4096

const file = Effect.map(makeTemporaryFolder, (folder) => join(folder, "service.db"))

const onFile = <A, E>(
  filename: string,
  test: (health: DatabaseHealth["Service"], sql: SqlClient.SqlClient) => Effect.Effect<A, E>
) =>
  Effect.provide(
    Effect.gen(function* () {
      return yield* test(yield* DatabaseHealth, yield* SqlClient.SqlClient)
    }),
    Layer.fresh(Sqlite.layer({ filename }))
  )

const faultOf = (health: DatabaseHealth["Service"]) => Effect.map(Effect.flip(health.check), ({ fault }) => fault)

/** Advances the clock by more than the one second for which the health check reuses a result. */
const later = TestClock.adjust("2 seconds")

describe("Health of an SQLite file", () => {
  it.effect("a full database is reported until there is free space again", () =>
    Effect.flatMap(file, (filename) =>
      onFile(filename, (health, sql) =>
        Effect.gen(function* () {
          yield* health.check
          const [size] = yield* sql<{ readonly page_count: number }>`PRAGMA page_count`
          yield* sql`CREATE TABLE filler (bytes BLOB)`
          yield* sql.unsafe(`PRAGMA max_page_count = ${(size?.page_count ?? 0) + 5}`)
          yield* Effect.forever(sql`INSERT INTO filler VALUES (zeroblob(3000))`).pipe(Effect.flip)
          yield* later
          assert.strictEqual(yield* faultOf(health), "full")
          yield* sql.unsafe(`PRAGMA max_page_count = 100000`)
          yield* later
          yield* health.check
        })
      )
    )
  )

  it.effect("a database that accepts no writes is reported as read-only", () =>
    Effect.flatMap(file, (filename) =>
      onFile(filename, (health, sql) =>
        Effect.gen(function* () {
          yield* sql`PRAGMA query_only = ON`
          assert.strictEqual(yield* faultOf(health), "read_only")
        })
      )
    )
  )

  it.effect("an SQLite file that was moved or replaced is reported, although writes succeed", () =>
    Effect.flatMap(file, (filename) =>
      onFile(filename, (health) =>
        Effect.gen(function* () {
          yield* health.check
          renameSync(filename, `${filename}.moved`)
          yield* later
          assert.strictEqual(yield* faultOf(health), "moved")
          writeFileSync(filename, readFileSync(`${filename}.moved`))
          yield* later
          assert.strictEqual(yield* faultOf(health), "moved")
          renameSync(`${filename}.moved`, filename)
          yield* later
          yield* health.check
        })
      )
    )
  )

  it.effect("a corrupt page is reported until five minutes after the last statement that read the page", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const root = yield* onFile(filename, (_, sql) =>
        Effect.gen(function* () {
          yield* sql`CREATE TABLE filler (bytes BLOB)`
          yield* sql`INSERT INTO filler VALUES (zeroblob(100))`
          const [row] = yield* sql<{
            readonly rootpage: number
          }>`SELECT rootpage FROM sqlite_master WHERE name = 'filler'`
          yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
          return row?.rootpage ?? 0
        })
      )
      writeSync(openSync(filename, "r+"), Buffer.alloc(pageSize, 0xff), 0, pageSize, (root - 1) * pageSize)
      yield* onFile(filename, (health, sql) =>
        Effect.gen(function* () {
          yield* health.check
          yield* Effect.flip(sql`SELECT COUNT(*) FROM filler`)
          yield* later
          assert.strictEqual(yield* faultOf(health), "corrupt")
          yield* TestClock.adjust("299 seconds")
          assert.strictEqual(yield* faultOf(health), "corrupt")
          yield* Effect.flip(sql`SELECT COUNT(*) FROM filler`)
          yield* later
          assert.strictEqual(yield* faultOf(health), "corrupt", "it was read again")
          yield* TestClock.adjust("299 seconds")
          assert.strictEqual(yield* faultOf(health), "corrupt")
          yield* later
          yield* health.check
        })
      )
    })
  )

  it.effect("all health checks within one second cause one write, and the next second causes another write", () =>
    Effect.flatMap(file, (filename) =>
      onFile(filename, (health, sql) =>
        Effect.gen(function* () {
          const writes = Effect.map(
            sql<{ readonly changes: number }>`SELECT total_changes() AS changes`,
            ([row]) => (row?.changes ?? 0) / 2
          )
          const before = yield* writes
          yield* Effect.forEach(Array.from({ length: 100 }), () => health.check, { concurrency: "unbounded" })
          yield* health.check
          assert.strictEqual((yield* writes) - before, 1)
          yield* later
          yield* health.check
          assert.strictEqual((yield* writes) - before, 2)
        })
      )
    )
  )
})
