/** When a key was last used and which line of rotations it belongs to; what a month has seen, by environment, calls included. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const calls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE api_keys ADD COLUMN last_used_at TEXT`
  yield* sql`ALTER TABLE api_keys ADD COLUMN lineage_id TEXT NOT NULL DEFAULT ''`
  yield* sql`UPDATE api_keys SET lineage_id = id`

  yield* sql`ALTER TABLE usage_months RENAME TO live_usage_months`
  yield* sql`CREATE TABLE usage_months (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    period TEXT NOT NULL,
    topics_created INTEGER NOT NULL DEFAULT 0,
    units_held INTEGER NOT NULL DEFAULT 0,
    commentaries_generated INTEGER NOT NULL DEFAULT 0,
    api_calls INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, environment, period)
  ) ${clustered(sql)}`
  yield* sql`INSERT INTO usage_months
      (organization_id, environment, period, topics_created, units_held, commentaries_generated, api_calls)
    SELECT organization_id, 'live', period, topics_created, units_held, commentaries_generated, api_calls
    FROM live_usage_months`
  yield* sql`DROP TABLE live_usage_months`
})
