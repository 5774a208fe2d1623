/** Counters, and histograms of durations by day, updated with each change in place of an index over all assignments. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered, oftenUpdated } from "./Dialect.ts"
import { upkeep } from "./Upkeep.ts"

export const keptFigures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`DROP INDEX assignments_performance`

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
  yield* sql`INSERT INTO counters (organization_id, environment, day, persona_id, name, total)
    SELECT organization_id, environment, '', '', status, total FROM topic_totals`
  yield* sql`DROP TABLE topic_totals`

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

  yield* upkeep(sql)
})
