/** Lets go of settled mails, closed duplicate windows and answers kept long enough, by their indexes. */
import { Retention } from "@partner-commentary/core/operations/Retention"
import { toIso } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

export const layer = Layer.effect(
  Retention,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return Retention.of({
      purge: Effect.fn("Retention.purge")(function* (before) {
        const mails = yield* sql`DELETE FROM mails WHERE settled_at < ${toIso(before.mails)} RETURNING 1 AS gone`
        const windows = yield* sql`DELETE FROM duplicate_windows WHERE until_at < ${toIso(before.windows)}
          RETURNING 1 AS gone`
        const answers =
          yield* sql`DELETE FROM kept_answers WHERE until_at < ${toIso(before.answers)} RETURNING 1 AS gone`
        return { mails: mails.length, windows: windows.length, answers: answers.length }
      }, Effect.orDie)
    })
  })
)
