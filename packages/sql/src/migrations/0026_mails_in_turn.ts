/** Mails that wait, by organization; those of none together. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const mailsInTurn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`DROP INDEX mails_due`
  yield* sql`CREATE INDEX mails_in_turn ON mails (COALESCE(organization_id, ''), due_at, id) WHERE state = 'waiting'`
})
