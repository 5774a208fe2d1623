/** Which keys are revoked whatever a clock says: all that were revoked outright, and those whose grace is over by now. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const revocations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE api_keys ADD COLUMN is_revoked INTEGER NOT NULL DEFAULT 0 CHECK (is_revoked IN (0, 1))`
  yield* sql`UPDATE api_keys SET is_revoked = 1
    WHERE revoked_at <= ${Instant.toIso(yield* Instant.now)}
      OR id IN (SELECT subject FROM audit_log WHERE action = 'key.revoked')`
})
