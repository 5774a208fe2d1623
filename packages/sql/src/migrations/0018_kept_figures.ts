/** What a day's assignments came to and how long they took, kept with each change, in the place of an index over all of them. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { recount } from "../reporting/Recount.ts"
import { clustered, oftenUpdated } from "./Dialect.ts"
import { upkeep } from "./Upkeep.ts"

export const keptFigures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Takes the table for itself: nothing changes until what it holds has been counted.
  yield* sql`DROP INDEX assignments_performance`

  yield* sql`CREATE TABLE tallies (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    day TEXT NOT NULL,
    persona_id TEXT NOT NULL,
    name TEXT NOT NULL,
    total INTEGER NOT NULL,
    persona_name TEXT,
    PRIMARY KEY (organization_id, environment, day, persona_id, name)
  ) ${clustered(sql)} ${oftenUpdated(sql, 70)}`
  yield* sql`INSERT INTO tallies (organization_id, environment, day, persona_id, name, total)
    SELECT organization_id, environment, '', '', status, total FROM topic_totals`
  yield* sql`DROP TABLE topic_totals`

  yield* sql`CREATE TABLE performance_times (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    day TEXT NOT NULL,
    persona_id TEXT NOT NULL,
    folded TEXT NOT NULL,
    recent TEXT NOT NULL,
    PRIMARY KEY (organization_id, environment, day, persona_id)
  ) ${clustered(sql)} ${oftenUpdated(sql, 70)}`

  yield* recount
  yield* upkeep(sql)
})
