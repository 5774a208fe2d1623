/**
 * Records when a mail may have arrived although no delivery was recorded. Claims of older processes leave the column
 * unchanged.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const addPossibleDeliveryColumn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE mails ADD COLUMN maybe_sent_at TEXT`
})
