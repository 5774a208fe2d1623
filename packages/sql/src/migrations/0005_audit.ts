/** The append-only record. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { serial, strict } from "./Dialect.ts"

export const audit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE audit_log (
    number ${serial(sql)},
    recorded_at TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    organization_id TEXT,
    details TEXT NOT NULL
  ) ${strict(sql)}`
  yield* sql`CREATE INDEX audit_log_subject ON audit_log (subject, number)`
})
