/** The webhooks that receive a topic's events, as JSON; null stands for all. Older processes deliver to all. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const topicWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE topics ADD COLUMN webhook_ids TEXT`
})
