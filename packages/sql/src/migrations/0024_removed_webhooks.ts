/** Webhooks that were removed, until the last of their deliveries is gone: there may be too many to delete while others wait. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const removedWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE removed_webhooks (id TEXT PRIMARY KEY) ${clustered(sql)}`
})
