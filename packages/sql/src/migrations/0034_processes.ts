/** Processes that serve or work on the database, each with the schema that it knows and when it was last seen. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered, oftenUpdated } from "./Dialect.ts"

export const processes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    schema_id INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    seen_at TEXT NOT NULL
  ) ${clustered(sql)} ${oftenUpdated(sql, 50)}`
})
