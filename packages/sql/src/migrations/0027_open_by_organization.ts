/** A creator's open assignments in the live environment, organization by organization: a few of each are read, however many there are. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const openByOrganization = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX assignments_open ON assignments (creator_key, organization_id, created_at, id)
    WHERE due_at IS NOT NULL AND environment = 'live'`
  yield* sql`DROP INDEX assignments_creator`
  yield* sql`CREATE INDEX assignments_creator ON assignments (creator_key)`
})
