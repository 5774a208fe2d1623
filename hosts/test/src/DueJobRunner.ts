/**
 * Runs due jobs on demand instead of in the background, in a reproducible order. When a call returns, every due job
 * that can be claimed has run.
 */

import { findEarliestDueTime } from "@partner-commentary/server/Workers"
import * as Jobs from "@partner-commentary/server/workers/Jobs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { VirtualClock } from "./VirtualClock.ts"

export class DueJobRunner extends Context.Service<
  DueJobRunner,
  {
    /** Runs all due jobs, and the jobs that become due as a result, until no job is due. */
    readonly finish: Effect.Effect<void>
    /** Moves the clock to the given time. Each job that becomes due while the clock moves runs at its due time. */
    readonly advanceTo: (moment: number) => Effect.Effect<void>
  }
>()("@partner-commentary/test/DueJobRunner") {
  static readonly layer = Layer.effect(
    DueJobRunner,
    Effect.gen(function* () {
      const runners = yield* Effect.all(Jobs.jobRunnerConstructors)
      const clock = yield* VirtualClock
      const { withPermit } = yield* Semaphore.make(1)

      const untilNothing = Effect.gen(function* () {
        for (let done = 1; done > 0; ) {
          done = 0
          for (const { runDue } of runners) done += yield* runDue
        }
      })

      return DueJobRunner.of({
        finish: withPermit(untilNothing),
        advanceTo: (moment) =>
          withPermit(
            Effect.gen(function* () {
              yield* untilNothing
              while (clock.now() < moment) {
                const now = clock.now()
                const due = yield* findEarliestDueTime(runners, now)
                // A job that is overdue but cannot be claimed does not stop the clock.
                const next = Math.min(due > now ? due : now + retryDelay, clock.nextWaking(), moment)
                yield* clock.set(Math.max(next, now))
                yield* untilNothing
              }
            })
          )
      })
    })
  )
}

const retryDelay = 60_000
