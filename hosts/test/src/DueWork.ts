/** The work of the service done on the spot instead of by workers beside it: whoever looks afterwards sees all that is due done. */

import { Drafting } from "@partner-commentary/core/commentary/Drafting"
import { Studio } from "@partner-commentary/core/commentary/Studio"
import { Postman } from "@partner-commentary/core/mail/Postman"
import { DueAssignments } from "@partner-commentary/core/operations/DueAssignments"
import { Environment } from "@partner-commentary/core/shared/Owner"
import { Courier } from "@partner-commentary/core/webhook/Courier"
import { Recoveries } from "@partner-commentary/core/webhook/Recoveries"
import { Webhooks } from "@partner-commentary/core/webhook/Webhooks"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { VirtualClock } from "./VirtualClock.ts"

export class DueWork extends Context.Service<
  DueWork,
  {
    /** Does what is due now, and what becomes due by that, until nothing is left. */
    readonly finish: Effect.Effect<void>
    /** Moves the time to this moment, and does on the way what falls due, each at its own moment and in that order. */
    readonly advanceTo: (moment: number) => Effect.Effect<void>
  }
>()("@partner-commentary/test/DueWork") {
  static readonly layer = Layer.effect(
    DueWork,
    Effect.gen(function* () {
      const wakeups = yield* DueAssignments
      const drafting = yield* Drafting
      const postman = yield* Postman
      const courier = yield* Courier
      const studio = yield* Studio
      const recoveries = yield* Recoveries
      const webhooks = yield* Webhooks
      const clock = yield* VirtualClock
      const { withPermit } = yield* Semaphore.make(1)

      const assignments = Effect.gen(function* () {
        let woke = 0
        const due = yield* Effect.forEach(Environment.literals, (environment) => wakeups.due(environment, batch))
        for (const id of due.flat().flatMap(({ ids }) => ids)) {
          const woken = yield* wakeups.wake(id, true)
          if (woken.woke) woke++
          if (Option.isSome(woken.begun)) yield* drafting.attempt(woken.begun.value.id, woken.begun.value.ticket)
        }
        return woke
      })

      const mails = Effect.gen(function* () {
        const taken = yield* postman.take(batch)
        yield* Effect.forEach(taken, postman.deliver, { concurrency: "unbounded", discard: true })
        return taken.length
      })

      const deliveries = Effect.gen(function* () {
        const errands = yield* courier.take(batch, false)
        for (const errand of errands) yield* courier.deliver(errand, Effect.succeed(false))
        return errands.length
      })

      const media = Effect.gen(function* () {
        const taken = yield* studio.take(batch)
        for (const production of taken) yield* studio.make(production)
        return taken.length
      })

      const nextDue = Effect.map(
        Effect.all([...Environment.literals.map(wakeups.nextDue), postman.nextDue, courier.nextDue, studio.nextDue]),
        (moments) => Math.min(...moments.map((moment) => Option.getOrElse(moment, () => Number.POSITIVE_INFINITY)))
      )

      const round = Effect.gen(function* () {
        return (yield* assignments) + (yield* mails) + (yield* deliveries) + (yield* media)
      })

      const untilNothing = Effect.gen(function* () {
        for (;;) {
          const isRecovering = Option.isSome(yield* recoveries.advance)
          const cleared = yield* webhooks.clear
          const done = (yield* nextDue) <= clock.now() ? yield* round : 0
          if (!isRecovering && cleared + done === 0) return
        }
      })

      return DueWork.of({
        finish: withPermit(untilNothing),
        advanceTo: (moment) =>
          withPermit(
            Effect.gen(function* () {
              yield* untilNothing
              while (clock.now() < moment) {
                const now = clock.now()
                const due = yield* nextDue
                // What is overdue and yet cannot be done holds nothing else up.
                const next = Math.min(due > now ? due : now + patience, clock.nextWaking(), moment)
                yield* clock.set(Math.max(next, now))
                yield* untilNothing
              }
            })
          )
      })
    })
  )
}

const batch = 500

const patience = 60_000
