/** Simulated creators in place of human ones in the test environment, where nothing is kept of a human any more. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const sandbox = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE assignments ADD COLUMN simulation_path TEXT
    CHECK (simulation_path IN ('approve', 'decline', 'expire', 'fail', 'wait'))`
  yield* sql`ALTER TABLE assignments ADD COLUMN simulation_next_at TEXT`
  // What waited for nobody goes on now.
  yield* sql`UPDATE assignments SET simulation_path = 'approve',
      simulation_next_at = CASE WHEN due_at IS NULL THEN NULL ELSE created_at END,
      due_at = CASE WHEN due_at IS NULL THEN NULL ELSE created_at END,
      creator_name = '', creator_email = '', creator_key = ''
    WHERE environment = 'test'`
})
