/** Claims of a mail are numbered apart from its attempts: a claim whose process died was no attempt. Failed mails by organization. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const mailTickets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE mails ADD COLUMN ticket INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE mails ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0`
  yield* sql`CREATE INDEX mails_failed_of ON mails (organization_id, settled_at, id) WHERE state = 'failed'`
})
