/** The work of the service done on the spot instead of by workers beside it: whoever looks afterwards sees all that is due done. */

import { DraftWorker } from "@partner-commentary/core/commentary/DraftWorker"
import { MediaWorker } from "@partner-commentary/core/commentary/MediaWorker"
import { MailWorker } from "@partner-commentary/core/mail/MailWorker"
import { DueAssignments } from "@partner-commentary/core/operations/DueAssignments"
import { Environment } from "@partner-commentary/core/shared/Owner"
import { DeliveryWorker } from "@partner-commentary/core/webhook/DeliveryWorker"
import { WebhookRecovery } from "@partner-commentary/core/webhook/WebhookRecovery"
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
      const dueAssignments = yield* DueAssignments
      const draftWorker = yield* DraftWorker
      const mailWorker = yield* MailWorker
      const deliveryWorker = yield* DeliveryWorker
      const mediaWorker = yield* MediaWorker
      const recoveries = yield* WebhookRecovery
      const webhooks = yield* Webhooks
      const clock = yield* VirtualClock
      const { withPermit } = yield* Semaphore.make(1)

      const assignments = Effect.gen(function* () {
        let woke = 0
        const due = yield* Effect.forEach(Environment.literals, (environment) => dueAssignments.due(environment, batch))
        for (const id of due.flat().flatMap(({ ids }) => ids)) {
          const woken = yield* dueAssignments.wake(id, true)
          if (woken.woke) woke++
          if (Option.isSome(woken.begun)) yield* draftWorker.attempt(woken.begun.value.id, woken.begun.value.ticket)
        }
        return woke
      })

      const mails = Effect.gen(function* () {
        const taken = yield* mailWorker.take(batch)
        yield* Effect.forEach(taken, mailWorker.deliver, { concurrency: "unbounded", discard: true })
        return taken.length
      })

      const deliveries = Effect.gen(function* () {
        const jobs = yield* deliveryWorker.take(batch, false)
        for (const job of jobs) yield* deliveryWorker.deliver(job, Effect.succeed(false))
        return jobs.length
      })

      const media = Effect.gen(function* () {
        const taken = yield* mediaWorker.take(batch)
        for (const job of taken) yield* mediaWorker.make(job)
        return taken.length
      })

      const nextDue = Effect.map(
        Effect.all([
          ...Environment.literals.map(dueAssignments.nextDue),
          mailWorker.nextDue,
          deliveryWorker.nextDue,
          mediaWorker.nextDue
        ]),
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
