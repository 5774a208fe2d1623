/**
 * Marks assignments that a partner cancelled. Older processes read a cancelled assignment as withdrawn, and count a
 * cancellation only in `abandoned`.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const addCancellationColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE topics ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE assignments ADD COLUMN was_cancelled INTEGER NOT NULL DEFAULT 0`
})
