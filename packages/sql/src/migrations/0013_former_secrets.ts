/**
 * Stores the previous secret of a webhook after a rotation. Until a given time, requests are signed with the new secret
 * and with the previous secret.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const addFormerSecretColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE webhooks ADD COLUMN former_secret TEXT`
  yield* sql`ALTER TABLE webhooks ADD COLUMN former_secret_until TEXT`
})
