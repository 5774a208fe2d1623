/** What is due of assignments, by environment, and there by organization: none is looked for behind all that another has. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const assignmentsInTurn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`DROP INDEX assignments_due`
  yield* sql`CREATE INDEX assignments_due ON assignments (environment, due_at, id) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX assignments_in_turn ON assignments (environment, organization_id, due_at, id)
    WHERE due_at IS NOT NULL`
})
