/** Webhooks with their sealed secrets, how many each owner has, and what a mail says of one. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const webhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'disabled')),
    consecutive_failures INTEGER NOT NULL CHECK (consecutive_failures >= 0),
    last_delivery_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    sealed_secret TEXT NOT NULL
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX webhooks_newest ON webhooks (organization_id, environment, created_at, id)`

  yield* sql`CREATE TABLE webhook_totals (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    total INTEGER NOT NULL CHECK (total >= 0),
    PRIMARY KEY (organization_id, environment)
  ) ${clustered(sql)}`

  yield* sql`ALTER TABLE mails ADD COLUMN webhook TEXT`
})
