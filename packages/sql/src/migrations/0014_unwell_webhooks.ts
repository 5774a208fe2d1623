/** Finds the webhooks whose receivers are unwell without a look at all the others: operators watch how many there are. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const unwellWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX webhooks_failing ON webhooks (id) WHERE health IS NOT NULL`
  yield* sql`CREATE INDEX webhooks_disabled ON webhooks (id) WHERE status = 'disabled'`
})
