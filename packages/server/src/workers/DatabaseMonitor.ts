/**
 * Checks the database at regular intervals, even when no requests arrive. The check logs when the database becomes
 * unhealthy or healthy again.
 */
import { DatabaseHealth } from "@partner-commentary/core/operations/DatabaseHealth"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"

const interval = "5 seconds"

export const layer = Layer.effectDiscard(
  Effect.flatMap(DatabaseHealth, ({ check }) =>
    Effect.forkScoped(Effect.repeat(Effect.ignore(check), Schedule.spaced(interval)))
  )
)
