/** The end of a run of workers with a time limit. Calls that a run cannot interrupt must end with the run. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Instant from "./Instant.ts"

/** The time at which the run ends; infinity for workers that run without a time limit. */
export const RunEnd = Context.Reference<Instant.Instant>("@partner-commentary/reference/RunEnd", {
  defaultValue: () => Number.POSITIVE_INFINITY
})

/** Shortens the time limit of a call to the rest of the run. */
export const limitToRun = (limit: Duration.Input): Effect.Effect<Duration.Duration> =>
  Effect.map(Effect.all([RunEnd, Instant.now]), ([end, now]) =>
    Duration.min(Duration.fromInputUnsafe(limit), Duration.millis(Math.max(0, end - now)))
  )
