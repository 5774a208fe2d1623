/** The secret that a webhook had before its rotation, which signs beside the new one until a time. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const formerSecrets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE webhooks ADD COLUMN former_secret TEXT`
  yield* sql`ALTER TABLE webhooks ADD COLUMN former_secret_until TEXT`
})
