/** An owner's events by type before id: who asks for a rare type does not have all the others read. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const eventsByType = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX events_by_type ON events (organization_id, environment, type, id)`
  yield* sql`DROP INDEX events_of_owner`
})
