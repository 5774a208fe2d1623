/**
 * Stores the webhooks that receive the events of a topic, as JSON. The value null means all webhooks. Older processes
 * ignore the column and deliver to all webhooks.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const addTopicWebhooksColumn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE topics ADD COLUMN webhook_ids TEXT`
})
