/**
 * Starts several processes, restarts each process that ends, and stops all processes together. If a process ends before
 * all processes are ready, the start has failed.
 */
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import { CommandFailed } from "../cli/CommandFailed.ts"

export interface SupervisedProcess {
  readonly ready: Effect.Effect<void>
  /** Waits until the process ends. The result is a sentence that says how the process ended. */
  readonly ended: Effect.Effect<string>
}

interface SupervisorOptions {
  readonly count: number
  /** Starts the process with the given number. When the scope closes, the process stops. */
  readonly launch: (number: number) => Effect.Effect<SupervisedProcess, never, Scope.Scope>
  /** The supervisor runs `announce` once, when all processes are ready. */
  readonly announce: Effect.Effect<void>
}

export const processRestartCounter = Metric.counter("partner_commentary_process_restarts_total", {
  description: "Processes of `serve --processes` that ended and were started again",
  incremental: true
})

/** If a process has run for at least this many milliseconds, its end does not count as a repeated failure. */
const healthyAfter = Duration.toMillis("1 minute")

/** Returns the delay before a process is restarted. The delay doubles with each repeated failure, up to 30 seconds. */
const delayAfter = (failures: number) => Duration.seconds(Math.min(2 ** (failures - 1), 30))

/** Supervises the processes until the effect is interrupted. */
export const superviseProcesses = ({ announce, count, launch }: SupervisorOptions) =>
  Effect.gen(function* () {
    const numbers = Array.from({ length: count }, (_, index) => index + 1)
    const readiness = new Map(numbers.map((number) => [number, Deferred.makeUnsafe<void>()]))
    const isReady = (number: number) => Deferred.await(readiness.get(number) as Deferred.Deferred<void>)
    let started = false

    const runOnce = (number: number) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { ended, ready } = yield* launch(number)
          const firstReady = Deferred.succeed(readiness.get(number) as Deferred.Deferred<void>, undefined)
          yield* Effect.forkScoped(
            Effect.andThen(ready, started ? Effect.logInfo(`Process ${number} serves again`) : firstReady)
          )
          return yield* ended
        })
      )

    const keepRunning = Effect.fnUntraced(function* (number: number) {
      // The other processes wait until the first process is ready, because it migrates the database and reports wrong
      // settings.
      if (number > 1) yield* isReady(1)
      for (let failures = 1; ; failures++) {
        const begun = yield* Clock.currentTimeMillis
        // Without free memory, fork throws. A failed fork must not stop the other processes.
        const end = yield* Effect.catchDefect(runOnce(number), (defect) =>
          Effect.succeed(`Process ${number} cannot be started: ${formatErrorWithCauses(defect)}.`)
        )
        if (!started) return yield* new CommandFailed({ message: end })
        if ((yield* Clock.currentTimeMillis) - begun >= healthyAfter) failures = 1
        const delay = delayAfter(failures)
        yield* Effect.logError(`${end} Process ${number} starts again in ${Duration.format(delay)}.`)
        yield* Effect.sleep(delay)
        yield* Metric.update(processRestartCounter, 1)
      }
    })

    const announceStart = Effect.gen(function* () {
      for (const number of numbers) yield* isReady(number)
      started = true
      yield* announce
    })
    yield* Effect.all([announceStart, ...numbers.map(keepRunning)], { concurrency: "unbounded", discard: true })
    return yield* Effect.never
  })
