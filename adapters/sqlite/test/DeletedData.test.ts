/** Tests that the file does not contain the bytes of deleted rows. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeTemporaryFolder } from "./TemporaryFolder.ts"

it.effect("the file contains no bytes of deleted and overwritten values, neither short nor long ones", () =>
  Effect.gen(function* () {
    const path = join(yield* makeTemporaryFolder, "deleted.db")
    const sql = Context.get(yield* Layer.build(SqliteClient.layer({ filename: path })), SqliteClient.SqliteClient)
    const secrets = ["creator@short.example ", "creator@long.example ".repeat(2000)]
    yield* sql`CREATE TABLE kept (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT`
    for (const text of [...secrets, ...secrets]) yield* sql`INSERT INTO kept (text) VALUES (${text})`
    const count = Effect.map(sql`PRAGMA wal_checkpoint(TRUNCATE)`, () => {
      const bytes = readFileSync(path, "latin1") + readFileSync(`${path}-wal`, "latin1")
      return ["short", "long"].map((name) => bytes.split(`creator@${name}.example`).length - 1)
    })
    assert.isTrue((yield* count).every((found) => found > 0))
    yield* sql`DELETE FROM kept WHERE id <= 2`
    yield* sql`UPDATE kept SET text = '' WHERE id > 2`
    assert.deepStrictEqual(yield* count, [0, 0])
  }).pipe(Effect.scoped)
)
