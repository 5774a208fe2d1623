/** Defines the command `metrics rebuild`, which recomputes the daily metrics from the assignments. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Administration from "../Administration.ts"
import { printResult } from "../Output.ts"

const rebuild = Command.make(
  "rebuild",
  {},
  Effect.fn(function* () {
    const { rebuildMetrics } = yield* Effect.promise(() => import("@partner-commentary/sql/reporting/RebuildMetrics"))
    const days = yield* rebuildMetrics
    yield* printResult({
      json: () => ({ rebuilt_days: days }),
      text: () => [`Rebuilt the daily metrics of ${days === 1 ? "one day" : `${days} days`} of organizations.`]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Recompute the daily metrics from the assignments, while the service runs"))

export const metricsCommand = Command.make("metrics").pipe(
  Command.withDescription("Daily metrics of GET /metrics/performance"),
  Command.withSubcommands([rebuild])
)
