/**
 * Keeps the work going: what is due in assignments, the attempts at drafts that begin there, mails and events. As loops for a
 * process that stays (`layer`). Any number may run on one database: each piece is taken by one, and taken again if that one dies.
 */
import { Drafting } from "@partner-commentary/core/commentary/Drafting"
import { Postman } from "@partner-commentary/core/mail/Postman"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import { Wakeups } from "@partner-commentary/core/topic/Wakeups"
import { Courier, type Errand } from "@partner-commentary/core/webhook/Courier"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** How hard the loops work. */
export const WorkerSettings = Context.Reference("@partner-commentary/server/WorkerSettings", {
  defaultValue: () => ({
    /** Looks at the database so often for what another process left there; work of this process is seen at once. */
    pollInterval: Duration.seconds(1),
    /** Attempts at drafts under way at one time. */
    attempts: 16,
    /** Mails handed over side by side. */
    mails: 16,
    /** Events under way to receivers: enough that hundreds of hung receivers leave room for the others. */
    deliveries: 1000
  })
})

const batch = 500

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Effect.forkScoped(assignments)
    yield* Effect.forkScoped(mails)
    yield* Effect.forkScoped(deliveries)
  })
)

const assignments = Effect.scoped(
  Effect.gen(function* () {
    const wakeups = yield* Wakeups
    const drafting = yield* Drafting
    const signal = yield* WorkSignal
    const settings = yield* WorkerSettings
    const attempts = yield* FiberSet.make()
    const start = yield* FiberSet.runtime(attempts)<Drafting>()

    const round = Effect.gen(function* () {
      let woke = 0
      for (const id of yield* wakeups.due(batch)) {
        const free = (yield* FiberSet.size(attempts)) < settings.attempts
        const woken = yield* wakeups.wake(id, free)
        if (woken.woke) woke++
        if (Option.isSome(woken.begun)) start(survive(drafting.attempt(woken.begun.value.id, woken.begun.value.ticket)))
      }
      return woke
    })

    yield* loop(signal, round, wakeups.nextDue, settings.pollInterval)
  })
)

const mails = Effect.scoped(
  Effect.gen(function* () {
    const postman = yield* Postman
    const signal = yield* WorkSignal
    const settings = yield* WorkerSettings
    yield* loop(signal, postman.round(settings.mails), postman.nextDue, settings.pollInterval)
  })
)

const deliveries = Effect.scoped(
  Effect.gen(function* () {
    const courier = yield* Courier
    const signal = yield* WorkSignal
    const settings = yield* WorkerSettings
    const underWay = yield* FiberSet.make()
    const start = yield* FiberSet.runtime(underWay)()
    // One that ended concerns this loop alone: the others would look at the database for nothing, after each event.
    const ended = Context.get(yield* Layer.build(WorkSignal.layerProcess), WorkSignal)

    const free = Effect.map(FiberSet.size(underWay), (size) => settings.deliveries - size)

    /** One after the other to the same webhook, in one place, unless others may be waiting for it. */
    const run = (errand: Errand): Effect.Effect<void> =>
      Effect.flatMap(Effect.andThen(courier.deliver(errand), free), (left) =>
        left < settings.deliveries / 2
          ? Effect.void
          : Effect.flatMap(
              courier.takeNext(errand.lane),
              Option.match({ onNone: () => Effect.void, onSome: (following) => run(following) })
            )
      )

    const round = Effect.gen(function* () {
      const left = yield* free
      if (left <= 0) return 0
      const errands = yield* Effect.uninterruptible(
        Effect.tap(courier.take(left, left < settings.deliveries / 2), (taken) =>
          Effect.sync(() => {
            for (const errand of taken)
              start(Effect.ensuring(survive(Effect.uninterruptible(run(errand))), ended.notify))
          })
        )
      )
      return errands.length
    })

    yield* loop(either(signal, ended), round, courier.nextDue, settings.pollInterval)
  })
)

const either = (one: WorkSignal["Service"], other: WorkSignal["Service"]): Pick<WorkSignal["Service"], "listen"> => ({
  listen: Effect.zipWith(
    one.listen,
    other.listen,
    (first, second) => (longest) => Effect.raceFirst(first(longest), second(longest))
  )
})

/** Rounds until one finds nothing to do; then waits for a signal, for the next moment something is due, or for the poll. */
const loop = Effect.fnUntraced(function* (
  signal: Pick<WorkSignal["Service"], "listen">,
  round: Effect.Effect<number>,
  nextDue: Effect.Effect<Option.Option<Instant.Instant>>,
  pollInterval: Duration.Duration
) {
  const wait = yield* signal.listen
  return yield* Effect.forever(
    Effect.gen(function* () {
      const done = yield* Effect.catchCause(round, (cause) =>
        Effect.as(Effect.logError("A round of work failed", cause), 0)
      )
      if (done > 0) return
      const next = yield* Effect.catchCause(nextDue, () => Effect.succeed(Option.none()))
      yield* wait(yield* untilNext(next, pollInterval))
    })
  )
})

/** Something overdue that could not be done waits for the poll, lest the loop spin. */
const untilNext = Effect.fnUntraced(function* (next: Option.Option<Instant.Instant>, pollInterval: Duration.Duration) {
  if (Option.isNone(next)) return pollInterval
  const left = next.value - (yield* Instant.now)
  return left > 0 ? Duration.min(Duration.millis(left), pollInterval) : pollInterval
})

const survive = (attempt: Effect.Effect<void>) =>
  Effect.catchCause(attempt, (cause) => Effect.logError("An attempt at a draft or a delivery broke off", cause))
