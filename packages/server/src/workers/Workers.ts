/**
 * Keeps the work going: what is due in assignments, the attempts at drafts that begin there, mails, events, what is to be sent again,
 * what removed webhooks left, audio and video. As loops for a process that stays (`layer`), and until nothing is due for one that is only called now and then
 * (`drain`). Any number may run on one database: each piece is taken by one, and taken again if that one dies.
 */

import * as Instant from "@partner-commentary/core/shared/Instant"
import { Environment } from "@partner-commentary/core/shared/Owner"
import { reasonOf } from "@partner-commentary/core/shared/Reason"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  assignments,
  deliveries,
  mails,
  media,
  recoveries,
  removals,
  type WorkerLoop,
  WorkerSettings
} from "./WorkerLoops.ts"

const kinds = [...Environment.literals.map(assignments), mails, deliveries, recoveries, removals, media] as const

/** Each kind of work there is. */
const every: ReadonlyArray<Effect.Effect<WorkerLoop, never, Effect.Services<(typeof kinds)[number]>>> = kinds

export const layer = Layer.effectDiscard(
  Effect.forEach(every, (kind) => Effect.forkScoped(Effect.scoped(Effect.flatMap(kind, loop))), { discard: true })
)

/** Runs rounds until one finds nothing to do; then waits for a signal, for the next moment something is due, or for the poll. */
const loop = Effect.fnUntraced(function* (workerLoop: WorkerLoop) {
  const { kind, round } = workerLoop
  const settings = yield* WorkerSettings
  const wait = yield* (yield* WorkSignal).listen(kind)
  return yield* Effect.forever(
    Effect.gen(function* () {
      const looked = yield* Instant.now
      if ((yield* survived(round)) > 0) return
      const longest = untilNext(yield* nextOf(workerLoop, looked), looked, yield* Instant.now, settings)
      if (!Duration.isZero(longest)) yield* wait(longest)
    })
  )
})

const survived = (round: WorkerLoop["round"], onFailure: () => void = () => {}) =>
  Effect.catchCause(round, (cause) => {
    onFailure()
    return Effect.as(told("A round of work failed", cause), 0)
  })

/** Where it could not be seen, there may be something that was due when it was looked for work last. */
const nextOf = ({ nextDue }: WorkerLoop, looked: Instant.Instant) =>
  Effect.catchCause(nextDue, (cause) =>
    Effect.as(told("It could not be seen when the next work is due", cause), Option.some(looked))
  )

/** The cause says where it broke; the reason, in the database's own words, why. */
const told = (what: string, cause: Cause.Cause<unknown>) =>
  Effect.annotateLogs(Effect.logError(what, cause), { reason: reasonOf(Cause.squash(cause)) })

/**
 * What has fallen due since it was looked for work is looked for at once. What was due then and could not be done waits, lest the
 * loop spin.
 */
const untilNext = (
  next: Option.Option<Instant.Instant>,
  looked: Instant.Instant,
  now: Instant.Instant,
  { pause, pollInterval }: Effect.Success<typeof WorkerSettings>
) => {
  if (Option.isNone(next)) return pollInterval
  if (next.value <= looked) return Duration.min(pause, pollInterval)
  return Duration.min(Duration.millis(Math.max(0, next.value - now)), pollInterval)
}

export interface DrainLimits {
  /** So long, nothing new is begun afterwards. */
  readonly begin: Duration.Duration
  /** So long may it last: what is under way then is broken off, given back, and due again at once. */
  readonly end: Duration.Duration
  /** What falls due within so long is waited for. */
  readonly patience: Duration.Duration
}

export interface Drained {
  /** Pieces of work that were taken. */
  readonly taken: number
  /** Rounds that failed; the log says why. */
  readonly failed: number
  /** Whether something due was left. */
  readonly isMoreDue: boolean
}

/** Works until nothing is due, or time is up. */
export const drain = Effect.fn("Workers.drain")(function* ({ begin, end, patience }: DrainLimits) {
  const tally = { taken: 0, failed: 0 }
  const until = Instant.plus(yield* Instant.now, begin)
  const isMoreDue = yield* Effect.gen(function* () {
    const kinds = yield* Effect.all(every)
    for (;;) {
      const before = tally.taken
      yield* untilQuiet(kinds, until, tally)
      // What one kind did last may be work for another.
      if (tally.taken > before) continue
      const now = yield* Instant.now
      const next = yield* soonest(kinds, now)
      if (next <= now) return true
      if (next > Instant.plus(now, patience) || next >= until) return false
      yield* Effect.sleep(Duration.millis(next - now))
    }
  }).pipe(Effect.scoped, Effect.timeoutOption(end))
  return { ...tally, isMoreDue: Option.getOrElse(isMoreDue, () => true) } satisfies Drained
})

const soonest = (kinds: ReadonlyArray<WorkerLoop>, now: Instant.Instant) =>
  Effect.map(
    Effect.forEach(kinds, (kind) => nextOf(kind, now)),
    (all) => Math.min(...all.map(Option.getOrElse(() => Number.POSITIVE_INFINITY)))
  )

/** Runs rounds of all kinds side by side, until no round is running and nothing is under way. */
const untilQuiet = Effect.fnUntraced(function* (
  kinds: ReadonlyArray<WorkerLoop>,
  until: Instant.Instant,
  tally: { taken: number; failed: number }
) {
  const { pollInterval } = yield* WorkerSettings
  const signal = yield* WorkSignal
  const quiet = yield* Deferred.make<void>()
  const busy = new Set(kinds)

  const keep = Effect.fnUntraced(function* (kind: WorkerLoop) {
    const wait = yield* signal.listen(kind.kind)
    for (;;) {
      busy.add(kind)
      const mayBegin = (yield* Instant.now) < until
      const done = mayBegin ? yield* survived(kind.round, () => void tally.failed++) : 0
      tally.taken += done
      if (done > 0) continue
      const isUnderWay = (yield* kind.inFlight) > 0
      if (!isUnderWay) busy.delete(kind)
      if (busy.size === 0) yield* Deferred.succeed(quiet, undefined)
      yield* isUnderWay ? Effect.raceFirst(wait(pollInterval), kind.settled) : wait(pollInterval)
    }
  }, Effect.scoped)

  yield* Effect.raceFirst(
    Deferred.await(quiet),
    Effect.all(kinds.map(keep), { concurrency: "unbounded", discard: true })
  )
})
