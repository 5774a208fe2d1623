/**
 * Marks deadlines that a partner has set. Older processes ignore the mark and move the deadline when the mail is
 * delivered.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const addFixedDeadlineColumn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE assignments ADD COLUMN deadline_is_fixed INTEGER NOT NULL DEFAULT 0`
})
