/** What an organization's calendar month has seen. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const usage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE usage_months (
    organization_id TEXT NOT NULL,
    period TEXT NOT NULL,
    topics_created INTEGER NOT NULL DEFAULT 0,
    units_held INTEGER NOT NULL DEFAULT 0,
    commentaries_generated INTEGER NOT NULL DEFAULT 0,
    api_calls INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, period)
  ) ${clustered(sql)}`
})
