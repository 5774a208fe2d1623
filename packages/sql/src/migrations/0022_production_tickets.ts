/** A number for each taking of a production. How many attempts count may come round again: a stop takes one back, and an operator all. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const productionTickets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE productions ADD COLUMN ticket INTEGER NOT NULL DEFAULT 0`
})
