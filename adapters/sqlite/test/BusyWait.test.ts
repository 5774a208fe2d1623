/** What callers may rely on while another process holds the write lock. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "busy-wait-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const elapse = (milliseconds: number) =>
  Effect.promise(() => new Promise((resolve) => setTimeout(resolve, milliseconds)))

/** Three kinds of calls on a database whose write lock somebody else holds until `release`. */
const locked = <A, E>(
  busyTimeout: string & ("5 seconds" | "100 millis" | "200 millis"),
  test: (database: {
    readonly calls: Readonly<Record<"transaction" | "statement" | "read", Effect.Effect<number, unknown>>>
    readonly release: Effect.Effect<void>
  }) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "busy.db")
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE counter (n INTEGER NOT NULL) STRICT`
      yield* sql`INSERT INTO counter (n) VALUES (0)`
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(filename)),
        (database) => Effect.sync(() => database.close())
      )
      other.exec("BEGIN IMMEDIATE; UPDATE counter SET n = n + 100")
      const counted = Effect.map(Effect.orDie, (rows: ReadonlyArray<{ readonly n: number }>) => rows[0]?.n ?? -1)
      const statement = counted(sql<{ n: number }>`UPDATE counter SET n = n + 1 RETURNING n`)
      yield* test({
        calls: { statement, transaction: sql.withTransaction(statement), read: counted(sql<{ n: number }>`SELECT n FROM counter`) },
        release: Effect.sync(() => other.exec("COMMIT"))
      })
    }).pipe(Effect.provide(SqliteClient.layer({ filename, busyTimeout })))
  })
