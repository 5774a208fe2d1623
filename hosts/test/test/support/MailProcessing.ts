/**
 * Waits until the mail workers are idle. If a test moved the clock while a worker sends a mail, the lease of the mail
 * could expire.
 */

import * as Instant from "@partner-commentary/core/shared/Instant"
import { Environment } from "@partner-commentary/core/shared/Owner"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { eventually } from "./Eventually.ts"

/** Waits until the result of every due mail is stored, including the mails of due assignments. */
export const waitUntilMailsProcessed = Effect.gen(function* () {
  const assignments = yield* AssignmentStore
  const sql = yield* SqlClient.SqlClient
  yield* eventually(
    "no mail is due or on its way",
    Effect.gen(function* () {
      const now = yield* Instant.now
      if (Option.exists(yield* assignments.nextDue(Environment.literals), (due) => due <= now)) return false
      const busy = yield* sql`SELECT id FROM mails
        WHERE state = 'waiting' AND (due_at <= ${Instant.toIso(now)} OR was_due_at IS NOT NULL)`
      return busy.length === 0
    })
  )
})
