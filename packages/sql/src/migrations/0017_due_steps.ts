/**
 * Adds an index on the due times of steps that start no generation attempt. With the index, workers find deadlines and
 * reminders behind any number of drafts that wait for a free slot.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const indexDueSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dueAt = sql.literal("(CASE WHEN generation_next_at = due_at THEN approve_by ELSE due_at END)")
  yield* sql`CREATE INDEX IF NOT EXISTS assignments_due_steps ON assignments (environment, organization_id, ${dueAt}, id)
    WHERE ${dueAt} IS NOT NULL`
})
