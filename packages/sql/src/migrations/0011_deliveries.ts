/** Events as they are sent, what becomes of each on its way to a webhook, and how webhooks' receivers fare. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const deliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Ids begin with their moment, so their order is the events'.
  yield* sql`CREATE TABLE events (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    type TEXT NOT NULL,
    share_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    payload TEXT NOT NULL
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX events_of_owner ON events (organization_id, environment, id)`

  yield* sql`CREATE TABLE deliveries (
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    due_at TEXT,
    leased INTEGER NOT NULL DEFAULT 0,
    ticket INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    manual INTEGER NOT NULL DEFAULT 0,
    resume_at TEXT,
    settled_at TEXT,
    PRIMARY KEY (webhook_id, event_id),
    CHECK ((state = 'pending') = (due_at IS NOT NULL)),
    CHECK ((state = 'pending') = (settled_at IS NULL))
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at, event_id) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX deliveries_leased ON deliveries (webhook_id, due_at) WHERE leased = 1`

  // A ticket is given once to each attempt, and numbers it.
  yield* sql`CREATE TABLE delivery_attempts (
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    ticket INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('scheduled', 'manual', 'probe')),
    begun_at TEXT NOT NULL,
    duration INTEGER NOT NULL,
    status INTEGER,
    failure TEXT,
    reason TEXT,
    excerpt TEXT,
    PRIMARY KEY (webhook_id, event_id, ticket)
  ) ${clustered(sql)}`

  yield* sql`ALTER TABLE webhooks ADD COLUMN health TEXT`
  yield* sql`ALTER TABLE webhooks ADD COLUMN quiet_until TEXT`
})
