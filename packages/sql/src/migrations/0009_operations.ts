/** The audit log, and the running processes with their schema versions. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered, growing, oftenUpdated, serial, strict } from "./Dialect.ts"

export const operations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE audit_log (
    number ${serial(sql)},
    recorded_at TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    organization_id TEXT,
    details TEXT NOT NULL
  ) ${strict(sql)} ${growing(sql)}`
  yield* sql`CREATE INDEX audit_log_subject ON audit_log (subject, number)`

  yield* sql`CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    schema_id INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    seen_at TEXT NOT NULL
  ) ${clustered(sql)} ${oftenUpdated(sql, 50)}`
})
