/** Lets go of settled mails, closed duplicate windows, and answers and events kept long enough, by their indexes. */
import { Retention } from "@partner-commentary/core/operations/Retention"
import type { EventId } from "@partner-commentary/core/shared/Ids"
import { toIso } from "@partner-commentary/core/shared/Instant"
import { firstIdAt } from "@partner-commentary/core/webhook/Event"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

export const layer = Layer.effect(
  Retention,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** By webhook, for a delivery's key begins with it. */
    const forgetEvents = Effect.fnUntraced(function* (first: EventId) {
      yield* sql`DELETE FROM delivery_attempts WHERE webhook_id IN (SELECT id FROM webhooks) AND event_id < ${first}`
      yield* sql`DELETE FROM deliveries WHERE webhook_id IN (SELECT id FROM webhooks) AND event_id < ${first}`
      return (yield* sql`DELETE FROM events WHERE id < ${first} RETURNING 1 AS gone`).length
    })

    return Retention.of({
      purge: Effect.fn("Retention.purge")(function* (before) {
        const mails = yield* sql`DELETE FROM mails WHERE settled_at < ${toIso(before.mails)} RETURNING 1 AS gone`
        const windows = yield* sql`DELETE FROM duplicate_windows WHERE until_at < ${toIso(before.windows)}
          RETURNING 1 AS gone`
        const answers =
          yield* sql`DELETE FROM kept_answers WHERE until_at < ${toIso(before.answers)} RETURNING 1 AS gone`
        const events = yield* forgetEvents(firstIdAt(before.events))
        return { mails: mails.length, windows: windows.length, answers: answers.length, events }
      }, Effect.orDie)
    })
  })
)
