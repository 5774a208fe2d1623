/** The durability of commits: when callers continue, and what happens if the disk does not accept a flush. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "log-flush-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** Replaces the flush of all files in this process. */
const flushBy = (at: string, datasync: () => Promise<void>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const file = await open(at, "r")
      const methods: Pick<FileHandle, "datasync"> = Object.getPrototypeOf(file)
      await file.close()
      const original = methods.datasync
      methods.datasync = datasync
      return { methods, original }
    }),
    ({ methods, original }) =>
      Effect.sync(() => {
        methods.datasync = original
      })
  )

const insert = (id: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(sql`INSERT INTO sample (id) VALUES (${id})`))

const count = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ n: number }>`SELECT COUNT(*) AS n FROM sample`, (rows) => rows[0]?.n)
)

const onFile = <A, E>(
  test: (path: { readonly folder: string; readonly file: string }) => Effect.Effect<A, E, SqlClient.SqlClient>
) =>
  Effect.gen(function* () {
    const path = yield* folder
    const file = join(path, "sample.db")
    return yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE sample (id INTEGER PRIMARY KEY) STRICT`
      return yield* test({ folder: path, file })
    }).pipe(Effect.provide(SqliteClient.layer({ filename: file })))
  })

/** The rows of the database's file alone, as after a power cut that lost the write-ahead log. */
const withoutLog = (path: { readonly folder: string; readonly file: string }) => {
  const copy = join(path.folder, "copy.db")
  copyFileSync(path.file, copy)
  const database = new DatabaseSync(copy)
  const rows = database.prepare("SELECT id FROM sample ORDER BY id").all()
  database.close()
  return rows.map(({ id }) => id)
}

const refuse = () => Promise.reject(new Error("EIO: i/o error, fdatasync"))

describe("the flush of the write-ahead log", () => {
  it.live("callers of a transaction continue after the flush, and reads run during the flush", () =>
    onFile((path) =>
      Effect.gen(function* () {
        const { promise, resolve } = Promise.withResolvers<void>()
        yield* flushBy(path.folder, () => promise)
        const fiber = yield* Effect.forkChild(insert(1))
        while ((yield* count) === 0) yield* Effect.sleep(1)
        yield* Effect.sleep(20)
        assert.isUndefined(fiber.pollUnsafe())
        resolve()
        yield* Fiber.join(fiber)
      }).pipe(Effect.scoped)
    )
  )

  it.live("a transaction whose flush fails is stored in the database's file by a checkpoint", () =>
    onFile((path) =>
      Effect.gen(function* () {
        yield* flushBy(path.folder, refuse)
        yield* insert(1)
        assert.deepStrictEqual(withoutLog(path), [1])
      }).pipe(Effect.scoped)
    )
  )

  it.live("transactions fail until a checkpoint succeeds after a failed flush", () =>
    onFile((path) =>
      Effect.gen(function* () {
        const reader = new DatabaseSync(path.file)
        reader.exec("BEGIN; SELECT COUNT(*) FROM sample")
        const first = Effect.scoped(Effect.andThen(flushBy(path.folder, refuse), insert(1)))
        assert.isTrue(isSqlError(yield* Effect.flip(first)))
        assert.isTrue(isSqlError(yield* Effect.flip(insert(2))))
        reader.close()
        yield* insert(3)
        assert.deepStrictEqual(withoutLog(path), [1, 2, 3])
      })
    )
  )
})
