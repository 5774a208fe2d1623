/** Webhooks, events, and the deliveries of events to webhooks. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered, growing, queue } from "./Dialect.ts"

export const webhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `circuit_breaker` is null while the receiver answers normally.
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
    encrypted_secret TEXT NOT NULL,
    circuit_breaker TEXT,
    paused_until TEXT
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX webhooks_newest ON webhooks (organization_id, environment, created_at, id)`
  yield* sql`CREATE INDEX webhooks_failing ON webhooks (id) WHERE circuit_breaker IS NOT NULL`
  yield* sql`CREATE INDEX webhooks_disabled ON webhooks (id) WHERE status = 'disabled'`

  yield* sql`CREATE TABLE webhook_totals (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    total INTEGER NOT NULL CHECK (total >= 0),
    PRIMARY KEY (organization_id, environment)
  ) ${clustered(sql)}`

  // Deleted webhooks that still have deliveries: there may be too many for one transaction.
  yield* sql`CREATE TABLE removed_webhooks (id TEXT PRIMARY KEY) ${clustered(sql)}`

  // Ids begin with their time: their order is that of the events.
  yield* sql`CREATE TABLE events (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    type TEXT NOT NULL,
    share_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    payload TEXT NOT NULL
  ) ${clustered(sql)} ${growing(sql)}`
  yield* sql`CREATE INDEX events_by_type ON events (organization_id, environment, type, id)`
  yield* sql`CREATE INDEX events_of_tests ON events (share_id) WHERE environment <> 'live'`

  yield* sql`CREATE TABLE deliveries (
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    due_at TEXT,
    is_leased INTEGER NOT NULL DEFAULT 0,
    claim_number INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    manual INTEGER NOT NULL DEFAULT 0,
    resume_at TEXT,
    settled_at TEXT,
    PRIMARY KEY (webhook_id, event_id),
    CHECK ((state = 'pending') = (due_at IS NOT NULL)),
    CHECK ((state = 'pending') = (settled_at IS NULL))
  ) ${clustered(sql)} ${queue(sql)}`
  yield* sql`CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at, event_id) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX deliveries_leased ON deliveries (webhook_id, due_at) WHERE is_leased = 1`
  yield* sql`CREATE INDEX deliveries_by_state ON deliveries (webhook_id, state, event_id)`

  yield* sql`CREATE TABLE delivery_attempts (
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    claim_number INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('scheduled', 'manual', 'probe')),
    started_at TEXT NOT NULL,
    duration INTEGER NOT NULL,
    status INTEGER,
    failure TEXT,
    reason TEXT,
    excerpt TEXT,
    PRIMARY KEY (webhook_id, event_id, claim_number)
  ) ${clustered(sql)} ${queue(sql)}`

  // Requests to deliver the events between two ids again; `after_id` advances with each batch.
  yield* sql`CREATE TABLE redeliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    after_id TEXT NOT NULL,
    until_id TEXT NOT NULL,
    includes_pending INTEGER NOT NULL CHECK (includes_pending IN (0, 1)),
    queued INTEGER NOT NULL DEFAULT 0,
    requested_at TEXT NOT NULL,
    last_batch_at TEXT NOT NULL,
    done_at TEXT
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX redeliveries_open ON redeliveries (last_batch_at, id) WHERE done_at IS NULL`
  yield* sql`CREATE INDEX redeliveries_open_by_webhook ON redeliveries (webhook_id, id) WHERE done_at IS NULL`
  yield* sql`CREATE INDEX redeliveries_done ON redeliveries (done_at) WHERE done_at IS NOT NULL`
  yield* sql`CREATE INDEX redeliveries_webhook ON redeliveries (webhook_id)`
})
