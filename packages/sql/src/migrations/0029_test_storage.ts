/** What each organization's test environment stores, counted with each change, and indexes by which it is deleted after its days. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered, large, oftenUpdated } from "./Dialect.ts"

export const testStorage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE test_storage (
    organization_id TEXT PRIMARY KEY,
    topics INTEGER NOT NULL,
    bytes ${large(sql)} NOT NULL
  ) ${clustered(sql)} ${oftenUpdated(sql, 50)}`

  // What a topic was counted as, so that its deletion takes off the same. Null where it was not counted: a live one.
  yield* sql`ALTER TABLE topics ADD COLUMN stored_bytes INTEGER`
  yield* sql`UPDATE topics SET stored_bytes = 1000 + LENGTH(content) + LENGTH(metadata)
      + (topic_sent + opinion_injected + commentary_generated + creator_approved + declined + expired)
        * (9000 + 2 * LENGTH(metadata))
    WHERE environment = 'test'`
  yield* sql`INSERT INTO test_storage (organization_id, topics, bytes)
    SELECT organization_id, COUNT(*), SUM(stored_bytes) FROM topics WHERE environment = 'test' GROUP BY organization_id`

  // Not `= 'test'`: for a partial index that a bound value may imply, SQLite prepares each `environment = ?` anew at every run.
  yield* sql`CREATE INDEX IF NOT EXISTS topics_of_tests ON topics (created_at, id) WHERE environment <> 'live'`
  yield* sql`CREATE INDEX events_of_tests ON events (share_id) WHERE environment <> 'live'`
  yield* sql`CREATE INDEX duplicate_windows_of_tests ON duplicate_windows (until_at) WHERE environment <> 'live'`
})
