/** Finds attempts at drafts and simulated steps by their moment: those that a clock running ahead has put off are looked for. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const dueTimes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX IF NOT EXISTS assignments_generating ON assignments (generation_next_at) WHERE generation_next_at IS NOT NULL`
  yield* sql`CREATE INDEX IF NOT EXISTS assignments_simulated ON assignments (simulation_next_at) WHERE simulation_next_at IS NOT NULL`
})
