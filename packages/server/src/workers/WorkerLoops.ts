/**
 * One look at each kind of work: what is due is taken, and what takes its time is left under way. How often somebody looks, and
 * for how long, is the Workers'.
 */

import { DraftWorker } from "@partner-commentary/core/commentary/DraftWorker"
import { MediaWorker } from "@partner-commentary/core/commentary/MediaWorker"
import { MailWorker } from "@partner-commentary/core/mail/MailWorker"
import { DueAssignments } from "@partner-commentary/core/operations/DueAssignments"
import { Retention } from "@partner-commentary/core/operations/Retention"
import type { OrganizationId, ShareId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import { Policy } from "@partner-commentary/core/shared/Policy"
import { dueIn, type Work, WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import type { DueLane } from "@partner-commentary/core/topic/AssignmentStore"
import { type DeliveryJob, DeliveryWorker } from "@partner-commentary/core/webhook/DeliveryWorker"
import { stepSize, WebhookRecovery } from "@partner-commentary/core/webhook/WebhookRecovery"
import { Webhooks } from "@partner-commentary/core/webhook/Webhooks"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"
import * as FairSemaphore from "./FairSemaphore.ts"

/** How hard the work is done. */
export const WorkerSettings = Context.Reference("@partner-commentary/server/WorkerSettings", {
  defaultValue: () => ({
    /** Looks at the database so often for what another process left there; work of this process is seen at once. */
    pollInterval: Duration.seconds(1),
    /** Looks again so soon where what is due could not be done, at the latest with the poll. */
    pause: Duration.seconds(1),
    /** Attempts at drafts under way at one time: half of them of one organization at most. */
    attempts: 32,
    /** Mails handed over side by side. */
    mails: 16,
    /** Events under way to receivers: enough that hundreds of hung receivers leave room for the others. */
    deliveries: 1000,
    /** Audio and video being made at one time. */
    media: 4
  })
})

export interface WorkerLoop {
  readonly kind: Work
  /** Answers with how many pieces it took. */
  readonly round: Effect.Effect<number>
  readonly nextDue: Effect.Effect<Option.Option<Instant.Instant>>
  /** How many pieces of work that the loop took are still running. */
  readonly inFlight: Effect.Effect<number>
  /** Waits until none is. */
  readonly settled: Effect.Effect<void>
}

const batch = 500

/** So many at most in a round: it then looks again, and sees who came meanwhile. */
const step = 50

/** So many in a row that another worker had done: it goes before this one through the same stretch of the list. */
const inVainAtMost = 3

/** From a place of its own through the list and around: of workers that look at the same moment each begins elsewhere. */
const fromAnywhere = <A>(list: ReadonlyArray<A>) =>
  Effect.map(Random.next, (part) => {
    const first = Math.floor(part * list.length)
    return [...list.slice(first), ...list.slice(0, first)]
  })

/** Of each organization in turn, from a place of its own among what is due of it. */
const inTurn = Effect.fnUntraced(function* (due: ReadonlyArray<DueLane>) {
  const lanes = yield* Effect.forEach(yield* fromAnywhere(due), ({ ids, organizationId }) =>
    Effect.map(fromAnywhere(ids), (list) => list.map((id) => ({ id, organizationId })))
  )
  const longest = lanes.reduce((most, { length }) => Math.max(most, length), 0)
  return Array.from({ length: longest }, (_, place) => lanes.flatMap((lane) => lane.slice(place, place + 1))).flat()
})

/**
 * Each environment has a loop of its own: nothing live waits behind a test. What is under way is broken off, and given back, when the
 * scope closes.
 */
export const assignments = Effect.fnUntraced(function* (environment: Environment) {
  const dueAssignments = yield* DueAssignments
  const draftWorker = yield* DraftWorker
  const settings = yield* WorkerSettings
  const attempts = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(attempts)<DraftWorker>()
  const places = FairSemaphore.make<OrganizationId>(settings.attempts)

  const round = Effect.gen(function* () {
    let woke = 0
    let inVain = 0
    let refused = 0
    let left = yield* inTurn(yield* dueAssignments.due(environment, batch))
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { id, organizationId } = next
      const free = places.isFreeFor(organizationId)
      const woken = yield* dueAssignments.wake(id, free)
      if (woken.woke) woke++
      else if (!free) refused++
      if (Option.isSome(woken.begun)) {
        const attempt = draftWorker.attempt(woken.begun.value.id, woken.begun.value.ticket)
        start(places.take(organizationId, survive(attempt, { share_id: woken.begun.value.id })))
      }
      // Whoever came meanwhile is not kept waiting for all of it.
      if (woke + refused >= step) break
      inVain = woken.woke || !free ? 0 : inVain + 1
      if (inVain < inVainAtMost) continue
      // What is left is looked up anew; but who did nothing yet goes on elsewhere, lest what nobody can do be looked up for ever.
      if (woke > 0) break
      left = yield* fromAnywhere(left)
      inVain = 0
    }
    return woke
  })

  return workerLoop(dueIn(environment), round, dueAssignments.nextDue(environment), attempts)
})

/** What is under way is broken off, and given back, when the scope closes. A place is filled again as soon as its mail has gone. */
export const mails = Effect.gen(function* () {
  const mailWorker = yield* MailWorker
  const { mails: most } = yield* WorkerSettings
  return yield* oneByOne("mails", most, { ...mailWorker, make: mailWorker.deliver })
})

/** What is under way is broken off, and given back, when the scope closes. */
export const deliveries = Effect.gen(function* () {
  const deliveryWorker = yield* DeliveryWorker
  const lookAgain = (yield* WorkSignal).tell(["deliveries"])
  const settings = yield* WorkerSettings
  const inFlight = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(inFlight)()

  const free = Effect.map(FiberSet.size(inFlight), (size) => settings.deliveries - size)

  const isScarce = (left: number) => left < settings.deliveries / 2

  /** One after the other to the same webhook, in one place, unless others may be waiting for it. */
  const run = (job: DeliveryJob): Effect.Effect<void> =>
    Effect.flatMap(
      deliveryWorker.deliver(
        job,
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
    const jobs = yield* Effect.uninterruptible(
      Effect.tap(deliveryWorker.take(left, isScarce(left)), (taken) =>
        Effect.sync(() => {
          for (const job of taken)
            start(
              survive(
                Effect.onError(Effect.uninterruptible(run(job)), () => lookAgain),
                { webhook: job.claimed.webhookId, event: job.claimed.eventId }
              )
            )
        })
      )
    )
    return jobs.length
  })

  return workerLoop("deliveries", round, deliveryWorker.nextDue, inFlight)
})

/** What is under way is broken off, and given back, when the scope closes. Where nothing is mounted, nothing is looked for. */
export const media = Effect.gen(function* () {
  const { media: most } = yield* WorkerSettings
  return yield* oneByOne("media", most, yield* MediaWorker)
})

/** Pieces that are taken as places are free, and made side by side. */
const oneByOne = Effect.fnUntraced(function* <A extends { readonly shareId: ShareId | null }>(
  kind: Work,
  most: number,
  {
    make,
    nextDue,
    take
  }: {
    readonly take: (limit: number) => Effect.Effect<ReadonlyArray<A>>
    readonly make: (piece: A) => Effect.Effect<void>
    readonly nextDue: WorkerLoop["nextDue"]
  }
) {
  const lookAgain = (yield* WorkSignal).tell([kind])
  const inFlight = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(inFlight)()

  const round = Effect.gen(function* () {
    const free = most - (yield* FiberSet.size(inFlight))
    if (free <= 0) return 0
    const taken = yield* Effect.uninterruptible(
      Effect.tap(take(free), (pieces) =>
        Effect.sync(() => {
          for (const piece of pieces)
            start(Effect.ensuring(survive(Effect.uninterruptible(make(piece)), { share_id: piece.shareId }), lookAgain))
        })
      )
    )
    return taken.length
  })

  return workerLoop(kind, round, nextDue, inFlight)
})

/** One step in a round, and a pause behind a full one: whoever else writes, in other processes too, waits for a step and never for all. */
export const recoveries = Effect.gen(function* () {
  const { advance } = yield* WebhookRecovery
  const round = Effect.flatMap(
    advance,
    Option.match({
      onNone: () => Effect.succeed(0),
      onSome: (moved) => Effect.as(moved < stepSize ? Effect.void : Effect.sleep(pause), 1)
    })
  )
  return workerLoop("recoveries", round, Effect.succeed(Option.none()), yield* FiberSet.make())
})

/** Likewise: deliveries of removed webhooks first, then what the test environment stored longer ago than its retention. */
export const removals = Effect.gen(function* () {
  const { clear } = yield* Webhooks
  const { purgeTests } = yield* Retention
  const { testRetention } = yield* Policy
  const nothingSince = yield* Ref.make<Instant.Instant | null>(null)
  const sweep = Effect.gen(function* () {
    const now = yield* Instant.now
    const last = yield* Ref.get(nothingSince)
    if (last !== null && Math.abs(now - last) < Duration.toMillis(sweepEvery)) return 0
    const gone = yield* purgeTests(Instant.plus(now, Duration.negate(testRetention)))
    yield* Ref.set(nothingSince, gone === 0 ? now : null)
    return gone
  })
  const round = Effect.tap(
    Effect.flatMap(clear, (gone) => (gone > 0 ? Effect.succeed(gone) : sweep)),
    (gone) => (gone > 0 ? Effect.sleep(pause) : Effect.void)
  )
  return workerLoop("removals", round, Effect.succeed(Option.none()), yield* FiberSet.make())
})

const pause = "50 millis"

/** How long the next look for old tests waits after one that found none. */
const sweepEvery = Duration.minutes(10)

const workerLoop = (
  kind: Work,
  round: WorkerLoop["round"],
  nextDue: WorkerLoop["nextDue"],
  inFlight: FiberSet.FiberSet<unknown, unknown>
): WorkerLoop => ({ kind, round, nextDue, inFlight: FiberSet.size(inFlight), settled: FiberSet.awaitEmpty(inFlight) })

/** The line names what the attempt was about. */
const survive = (attempt: Effect.Effect<void>, about: Readonly<Record<string, unknown>>) =>
  Effect.catchCause(attempt, (cause) =>
    Effect.annotateLogs(
      Effect.logError("An attempt at a draft, a mail, a delivery or a medium broke off", cause),
      about
    )
  )
