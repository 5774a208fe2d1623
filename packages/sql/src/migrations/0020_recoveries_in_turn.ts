/** Finds the first open recovery of each webhook: those of one webhook go one after the other. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const recoveriesInTurn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX recoveries_in_turn ON recoveries (webhook_id, id) WHERE done_at IS NULL`
})
