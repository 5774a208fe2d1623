/** What partners asked to be sent again, a job each, and the order in which a webhook's deliveries are shown and recovered. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const recoveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX deliveries_by_state ON deliveries (webhook_id, state, event_id)`

  // Events behind `behind_id`, which moves, and before `until_id`.
  yield* sql`CREATE TABLE recoveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    behind_id TEXT NOT NULL,
    until_id TEXT NOT NULL,
    is_held INTEGER NOT NULL CHECK (is_held IN (0, 1)),
    moved INTEGER NOT NULL DEFAULT 0,
    asked_at TEXT NOT NULL,
    worked_at TEXT NOT NULL,
    done_at TEXT
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX recoveries_open ON recoveries (worked_at, id) WHERE done_at IS NULL`
  yield* sql`CREATE INDEX recoveries_done ON recoveries (done_at) WHERE done_at IS NOT NULL`
  yield* sql`CREATE INDEX recoveries_of_webhook ON recoveries (webhook_id)`
})
