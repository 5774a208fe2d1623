/** When creators responded, first drafts came and partners approved; and the index that a period's figures are made from. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const performance = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE assignments ADD COLUMN responded_at TEXT`
  yield* sql`ALTER TABLE assignments ADD COLUMN first_drafted_at TEXT`
  yield* sql`ALTER TABLE assignments ADD COLUMN partner_approved_at TEXT`

  // What earlier versions kept elsewhere. A first draft that was forgotten since has no moment.
  yield* sql`UPDATE assignments SET
    responded_at = (SELECT MIN(recorded_at) FROM audit_log
      WHERE subject = assignments.id AND action = 'creator.responded'),
    first_drafted_at = (SELECT created_at FROM drafts WHERE share_id = assignments.id AND number = 1)
    WHERE status NOT IN ('topic_sent', 'declined', 'expired')`

  // Everything that is asked of it lies in the index: the texts of a row are never touched.
  yield* sql`CREATE INDEX assignments_performance ON assignments (organization_id, environment, created_at, id,
    persona_id, status, failure_reason, notified_at, responded_at, first_drafted_at, commentary_approved_at)`
})
