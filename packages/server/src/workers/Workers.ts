/**
 * Runs all kinds of jobs. `layer` runs endless loops in a long-running process. `drain` runs until nothing is due, for
 * a process that a timer starts at intervals. Any number of processes may run jobs on one database. Each job is claimed
 * by one process. If the process of a claimed job dies, another process claims the job again.
 */
import * as Instant from "@partner-commentary/core/shared/Instant"
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import { RunEnd } from "@partner-commentary/core/shared/RunEnd"
import * as Tracing from "@partner-commentary/core/shared/Tracing"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { JobRunner } from "./JobRunner.ts"
import { jobRunnerConstructors } from "./Jobs.ts"
import { WorkerSettings } from "./WorkerSettings.ts"

export const layer = Layer.effectDiscard(
  Effect.forEach(
    jobRunnerConstructors,
    (runner) => Effect.forkScoped(Effect.scoped(Effect.flatMap(runner, keepPolling))),
    { discard: true }
  )
).pipe(Layer.provide(Tracing.layer))

/**
 * Polls until no work is due. After the last poll, waits for a signal, the next due time or the poll interval,
 * whichever comes first.
 */
export const keepPolling = Effect.fnUntraced(function* (runner: JobRunner) {
  const settings = yield* WorkerSettings
  const wait = yield* (yield* WorkSignal).listen(runner.kind)
  for (;;) {
    const polledAt = yield* Instant.now
    const taken = yield* pollLogged(runner)
    if (taken > 0 && !runner.hasDueTimes) continue
    // After a signal during the poll, the next due time is not needed, because the next poll starts immediately.
    if (yield* wait(Duration.zero)) continue
    const next = yield* nextDueAfter(runner, polledAt)
    const now = yield* Instant.now
    if (taken > 0 && Option.exists(next, (due) => due <= now)) continue
    const longest = untilNext(next, polledAt, now, settings)
    if (!Duration.isZero(longest)) yield* wait(longest)
  }
})

const pollLogged = ({ poll }: JobRunner, onFailure = () => {}) =>
  Effect.catchCause(poll, (cause) => {
    onFailure()
    return Effect.as(logFailure("A round of work failed", cause), 0)
  })

/** Returns the next due time. If the query fails, the worker assumes that work has been due since the last poll. */
const nextDueAfter = ({ nextDue }: JobRunner, polledAt: Instant.Instant) =>
  Effect.catchCause(nextDue, (cause) =>
    Effect.as(logFailure("Failed to query the next due time", cause), Option.some(polledAt))
  )

const logFailure = (message: string, cause: Cause.Cause<unknown>) =>
  Effect.annotateLogs(Effect.logError(message, cause), { reason: formatErrorWithCauses(Cause.squash(cause)) })

/**
 * Returns the waiting time until the next poll. If work became due after the last poll, the waiting time is zero. If
 * the last poll found due work that could not start, the waiting time is `pause`.
 */
const untilNext = (
  next: Option.Option<Instant.Instant>,
  polledAt: Instant.Instant,
  now: Instant.Instant,
  { pause, pollInterval }: Effect.Success<typeof WorkerSettings>
) => {
  if (Option.isNone(next)) return pollInterval
  if (next.value <= polledAt) return Duration.min(pause, pollInterval)
  return Duration.min(Duration.millis(Math.max(0, next.value - now)), pollInterval)
}

export interface DrainLimits {
  /** The duration in which the drain claims jobs. */
  readonly claimFor: Duration.Duration
  /** The duration after which running jobs are interrupted and released. */
  readonly runFor: Duration.Duration
  /** The maximum duration for which the drain waits for work that becomes due soon. */
  readonly lookahead: Duration.Duration
}

export interface DrainResult {
  /** The number of claimed jobs plus the number of changes. */
  readonly taken: number
  /** The number of polls that failed. The log contains the reason of each failure. */
  readonly failed: number
  readonly isMoreDue: boolean
}

/** Runs jobs until no work is due, or until the time limit. */
export const drain = Effect.fn("Workers.drain")(function* ({ claimFor, lookahead, runFor }: DrainLimits) {
  const tally = { taken: 0, failed: 0 }
  const start = yield* Instant.now
  const until = Instant.plus(start, claimFor)
  const isMoreDue = yield* Effect.gen(function* () {
    const kinds = yield* Effect.all(jobRunnerConstructors)
    for (;;) {
      const before = tally.taken
      yield* untilQuiet(kinds, until, tally)
      // A job of one kind may have created due work of another kind.
      if (tally.taken > before) continue
      const now = yield* Instant.now
      const next = yield* findEarliestDueTime(kinds, now)
      if (next <= now) return true
      if (next > Instant.plus(now, lookahead) || next >= until) return false
      yield* Effect.sleep(Duration.millis(next - now))
    }
  }).pipe(Effect.scoped, Effect.provideService(RunEnd, Instant.plus(start, runFor)), Effect.timeoutOption(runFor))
  return { ...tally, isMoreDue: Option.getOrElse(isMoreDue, () => true) } satisfies DrainResult
})

/** Returns the earliest due time of all kinds of jobs; infinity if no work is scheduled. */
export const findEarliestDueTime = (kinds: ReadonlyArray<JobRunner>, now: Instant.Instant) =>
  Effect.map(
    Effect.forEach(kinds, (kind) => nextDueAfter(kind, now)),
    (all) => Math.min(...all.map(Option.getOrElse(() => Number.POSITIVE_INFINITY)))
  )

/** Polls all kinds concurrently until every poll finds no work and no job is running. */
const untilQuiet = Effect.fnUntraced(function* (
  kinds: ReadonlyArray<JobRunner>,
  until: Instant.Instant,
  tally: { taken: number; failed: number }
) {
  const { pollInterval } = yield* WorkerSettings
  const signal = yield* WorkSignal
  const quiet = yield* Deferred.make<void>()
  const busy = new Set(kinds)

  const pollUntil = Effect.fnUntraced(function* (runner: JobRunner) {
    const wait = yield* signal.listen(runner.kind)
    for (;;) {
      busy.add(runner)
      const mayClaim = (yield* Instant.now) < until
      const taken = mayClaim ? yield* pollLogged(runner, () => void tally.failed++) : 0
      tally.taken += taken
      if (taken > 0) continue
      const isInFlight = (yield* runner.inFlight) > 0
      if (!isInFlight) busy.delete(runner)
      if (busy.size === 0) yield* Deferred.succeed(quiet, undefined)
      yield* isInFlight ? Effect.raceFirst(wait(pollInterval), runner.settled) : wait(pollInterval)
    }
  }, Effect.scoped)

  yield* Effect.raceFirst(
    Deferred.await(quiet),
    Effect.all(kinds.map(pollUntil), { concurrency: "unbounded", discard: true })
  )
})
