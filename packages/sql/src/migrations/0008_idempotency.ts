/** Answers that are kept under idempotency keys. A row without an answer is a claim: no committed row is without one. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { strict } from "./Dialect.ts"

export const idempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE kept_answers (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    until_at TEXT NOT NULL,
    status INTEGER,
    location TEXT,
    body TEXT,
    sealed INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1)),
    CHECK ((status IS NULL) = (body IS NULL))
  ) ${strict(sql)}`
  yield* sql`CREATE INDEX kept_answers_until ON kept_answers (until_at)`
})
