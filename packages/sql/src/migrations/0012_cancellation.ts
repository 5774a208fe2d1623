/**
 * Marks assignments that a partner cancelled. Processes of older versions read a cancelled assignment as
 * withdrawn, and count it in the topic's column `abandoned`, but not in `cancelled`.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const addCancellationColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE topics ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE assignments ADD COLUMN was_cancelled INTEGER NOT NULL DEFAULT 0`
})
