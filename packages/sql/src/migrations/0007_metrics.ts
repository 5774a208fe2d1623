/** Counters, histograms and monthly usage, updated with each change instead of counted by each request. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered, oftenUpdated } from "./Dialect.ts"

export const metrics = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE counters (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    day TEXT NOT NULL,
    persona_id TEXT NOT NULL,
    name TEXT NOT NULL,
    total INTEGER NOT NULL,
    persona_name TEXT,
    PRIMARY KEY (organization_id, environment, day, persona_id, name)
  ) ${clustered(sql)} ${oftenUpdated(sql, 70)}`

  yield* sql`CREATE TABLE duration_histograms (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    day TEXT NOT NULL,
    persona_id TEXT NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('response', 'generation', 'approval')),
    counts TEXT NOT NULL,
    exact INTEGER NOT NULL,
    PRIMARY KEY (organization_id, environment, day, persona_id, stage)
  ) ${clustered(sql)} ${oftenUpdated(sql, 70)}`

  yield* sql`CREATE TABLE usage_months (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    period TEXT NOT NULL,
    topics_created INTEGER NOT NULL DEFAULT 0,
    units_held INTEGER NOT NULL DEFAULT 0,
    commentaries_generated INTEGER NOT NULL DEFAULT 0,
    api_calls INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, environment, period)
  ) ${clustered(sql)} ${oftenUpdated(sql, 50)}`
})
