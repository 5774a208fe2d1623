/**
 * One look at each kind of work: what is due is taken, and what takes its time is left under way. How often somebody looks, and
 * for how long, is the Workers'.
 */
import { Drafting } from "@partner-commentary/core/commentary/Drafting"
import { Studio } from "@partner-commentary/core/commentary/Studio"
import { Postman } from "@partner-commentary/core/mail/Postman"
import type * as Instant from "@partner-commentary/core/shared/Instant"
import { type Work, WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import { Wakeups } from "@partner-commentary/core/topic/Wakeups"
import { Courier, type Errand } from "@partner-commentary/core/webhook/Courier"
import { Recoveries, stepSize } from "@partner-commentary/core/webhook/Recoveries"
import { Webhooks } from "@partner-commentary/core/webhook/Webhooks"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Random from "effect/Random"

/** How hard the work is done. */
export const WorkerSettings = Context.Reference("@partner-commentary/server/WorkerSettings", {
  defaultValue: () => ({
    /** Looks at the database so often for what another process left there; work of this process is seen at once. */
    pollInterval: Duration.seconds(1),
    /** Looks again so soon where what is due could not be done, at the latest with the poll. */
    pause: Duration.seconds(1),
    /** Attempts at drafts under way at one time. */
    attempts: 16,
    /** Mails handed over side by side. */
    mails: 16,
    /** Events under way to receivers: enough that hundreds of hung receivers leave room for the others. */
    deliveries: 1000,
    /** Audio and video being made at one time. */
    media: 4
  })
})

export interface Rounds {
  readonly kind: Work
  /** Answers with how many pieces it took. */
  readonly round: Effect.Effect<number>
  readonly nextDue: Effect.Effect<Option.Option<Instant.Instant>>
  /** How many pieces that rounds took are still under way. */
  readonly underWay: Effect.Effect<number>
  /** Waits until none is. */
  readonly settled: Effect.Effect<void>
}

const batch = 500

/** So many in a row that another worker had done: it goes before this one through the same stretch of the list. */
const inVainAtMost = 3

/** From a place of its own through the list and around: of workers that look at the same moment each begins elsewhere. */
const fromAnywhere = <A>(list: ReadonlyArray<A>) =>
  Effect.map(Random.next, (part) => {
    const first = Math.floor(part * list.length)
    return [...list.slice(first), ...list.slice(0, first)]
  })

/** What is under way is broken off, and given back, when the scope closes. */
export const assignments = Effect.gen(function* () {
  const wakeups = yield* Wakeups
  const drafting = yield* Drafting
  const settings = yield* WorkerSettings
  const attempts = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(attempts)<Drafting>()

  const round = Effect.gen(function* () {
    let woke = 0
    let inVain = 0
    let left = yield* fromAnywhere(yield* wakeups.due(batch))
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const free = (yield* FiberSet.size(attempts)) < settings.attempts
      const woken = yield* wakeups.wake(id, free)
      if (woken.woke) woke++
      if (Option.isSome(woken.begun)) start(survive(drafting.attempt(woken.begun.value.id, woken.begun.value.ticket)))
      inVain = woken.woke || !free ? 0 : inVain + 1
      if (inVain < inVainAtMost) continue
      // What is left is looked up anew; but who did nothing yet goes on elsewhere, lest what nobody can do be looked up for ever.
      if (woke > 0) break
      left = yield* fromAnywhere(left)
      inVain = 0
    }
    return woke
  })

  return rounds("assignments", round, wakeups.nextDue, attempts)
})

/** Mails are handed over within the round. */
export const mails = Effect.gen(function* () {
  const postman = yield* Postman
  const settings = yield* WorkerSettings
  return rounds("mails", postman.round(settings.mails), postman.nextDue, yield* FiberSet.make())
})

/** What is under way is broken off, and given back, when the scope closes. */
export const deliveries = Effect.gen(function* () {
  const courier = yield* Courier
  const lookAgain = (yield* WorkSignal).tell(["deliveries"])
  const settings = yield* WorkerSettings
  const underWay = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(underWay)()

  const free = Effect.map(FiberSet.size(underWay), (size) => settings.deliveries - size)

  const isScarce = (left: number) => left < settings.deliveries / 2

  /** One after the other to the same webhook, in one place, unless others may be waiting for it. */
  const run = (errand: Errand): Effect.Effect<void> =>
    Effect.flatMap(
      courier.deliver(
        errand,
        Effect.map(free, (left) => !isScarce(left))
      ),
      ({ following, isNews }) => {
        const look = isNews ? lookAgain : Effect.void
        return Option.isNone(following) ? look : Effect.andThen(look, run(following.value))
      }
    )

  const round = Effect.gen(function* () {
    const left = yield* free
    if (left <= 0) return 0
    const errands = yield* Effect.uninterruptible(
      Effect.tap(courier.take(left, isScarce(left)), (taken) =>
        Effect.sync(() => {
          for (const errand of taken)
            start(survive(Effect.onError(Effect.uninterruptible(run(errand)), () => lookAgain)))
        })
      )
    )
    return errands.length
  })

  return rounds("deliveries", round, courier.nextDue, underWay)
})

/** What is under way is broken off, and given back, when the scope closes. Where nothing is mounted, nothing is looked for. */
export const media = Effect.gen(function* () {
  const studio = yield* Studio
  const lookAgain = (yield* WorkSignal).tell(["media"])
  const settings = yield* WorkerSettings
  const underWay = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(underWay)()

  const round = Effect.gen(function* () {
    const free = settings.media - (yield* FiberSet.size(underWay))
    if (free <= 0) return 0
    const taken = yield* Effect.uninterruptible(
      Effect.tap(studio.take(free), (productions) =>
        Effect.sync(() => {
          for (const production of productions)
            start(Effect.ensuring(survive(Effect.uninterruptible(studio.make(production))), lookAgain))
        })
      )
    )
    return taken.length
  })

  return rounds("media", round, studio.nextDue, underWay)
})

/** One step in a round, and a pause behind a full one: whoever else writes, in other processes too, waits for a step and never for all. */
export const recoveries = Effect.gen(function* () {
  const { advance } = yield* Recoveries
  const round = Effect.flatMap(
    advance,
    Option.match({
      onNone: () => Effect.succeed(0),
      onSome: (moved) => Effect.as(moved < stepSize ? Effect.void : Effect.sleep(pause), 1)
    })
  )
  return rounds("recoveries", round, Effect.succeed(Option.none()), yield* FiberSet.make())
})

/** Likewise. */
export const removals = Effect.gen(function* () {
  const { clear } = yield* Webhooks
  const round = Effect.tap(clear, (gone) => (gone > 0 ? Effect.sleep(pause) : Effect.void))
  return rounds("removals", round, Effect.succeed(Option.none()), yield* FiberSet.make())
})

const pause = "50 millis"

const rounds = (
  kind: Work,
  round: Rounds["round"],
  nextDue: Rounds["nextDue"],
  underWay: FiberSet.FiberSet<unknown, unknown>
): Rounds => ({ kind, round, nextDue, underWay: FiberSet.size(underWay), settled: FiberSet.awaitEmpty(underWay) })

const survive = (attempt: Effect.Effect<void>) =>
  Effect.catchCause(attempt, (cause) =>
    Effect.logError("An attempt at a draft, a delivery or a medium broke off", cause)
  )
