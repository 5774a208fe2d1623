/** Tests the guarantees of the RedeliveryStore port. Each manual attempt and each recovery sends a delivery once. */
import { assert, describe } from "@effect/vitest"
import type { EventId, WebhookId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { defaults } from "@partner-commentary/core/shared/WebhookPolicy"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import type { ReceiverState } from "@partner-commentary/core/webhook/CircuitBreaker"
import * as CircuitBreaker from "@partner-commentary/core/webhook/CircuitBreaker"
import type { Delivery } from "@partner-commentary/core/webhook/Delivery"
import { DeliveryLog } from "@partner-commentary/core/webhook/DeliveryLog"
import { decideNextDeliveryState, scheduleManualAttempt } from "@partner-commentary/core/webhook/DeliveryPlan"
import { type ClaimedDelivery, DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { RedeliveryStore } from "@partner-commentary/core/webhook/RedeliveryStore"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import {
  failedAttempt,
  hour,
  makeOwner,
  makePersonas,
  makeSubmission,
  makeWebhook,
  minute,
  second,
  start,
  successfulAttempt
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const audit = { action: "webhook.recovered", subject: "x", organizationId: null, details: {} }

const withoutRetries = { ...defaults, retries: [] }

const same = (receiver: ReceiverState) => receiver

export const suite = <E>(
  name: string,
  layer: Layer.Layer<RedeliveryStore | DeliveryLog | DeliveryStore | WebhookStore | TopicStore | AssignmentStore, E>
): void => {
  describe(`${name}: RedeliveryStore`, () => {
    const it = makeGuaranteeTest(layer)

    const take = (id: WebhookId, at: number, limit = 100) =>
      Effect.flatMap(DeliveryStore, (store) =>
        store.claim(id, at, at + minute, { allow: () => ({ limit, probe: false }), taken: same })
      )

    const settle = (claimed: ClaimedDelivery, attempt: DeliveryAttempt, at: number) =>
      Effect.flatMap(DeliveryStore, (store) =>
        store.settle(claimed, attempt, at, (receiver) => ({
          receiver,
          next: decideNextDeliveryState(claimed, { attempt, kind: claimed.kind }, 0, at, withoutRetries),
          notice: null,
          audit: null
        }))
      )

    /**
     * Creates a webhook with `count` events, a second apart. If `attempt` is not null, each delivery has had one
     * attempt, with the result `attempt`.
     */
    const told = Effect.fnUntraced(function* (count: number, attempt: DeliveryAttempt | null = failedAttempt) {
      const mine: Owner = makeOwner()
      const one = makeWebhook({ owner: mine })
      const made = { action: "webhook.created", details: {} }
      yield* (yield* WebhookStore).insert({ webhook: one, audit: made, notice: null }, "sealed", 20)
      const { sent } = yield* (yield* TopicStore).submit(makeSubmission({ topic: mine, personas: makePersonas(count) }))
      for (const [index, share] of sent.entries()) {
        yield* TestClock.setTime(start + index * second)
        yield* Creator.decline(share)
      }
      const at = start + count * second
      yield* TestClock.setTime(at)
      if (attempt !== null) for (const claimed of yield* take(one.id, at)) yield* settle(claimed, attempt, at)
      const all = { webhookId: one.id, state: null, since: start, behind: null, limit: 1000 }
      const look = Effect.flatMap(DeliveryLog, (log) => log.page(all, 10, at))
      const ids = (yield* look).map(({ eventId }) => eventId).toReversed()
      return { id: one.id, mine, at, ids, look }
    })

    const retry = (webhookId: WebhookId, eventId: EventId, at: number) =>
      Effect.flatMap(RedeliveryStore, (store) =>
        store.queue(
          { webhookId, eventId, since: start },
          at,
          (present) => scheduleManualAttempt(present, at),
          audit,
          CircuitBreaker.updateAfterManualRetry
        )
      )

    const begun = (
      webhookId: WebhookId,
      at: number,
      changes: { id?: string; since?: number; until?: number; held?: boolean } = {}
    ) =>
      Effect.flatMap(RedeliveryStore, (store) => {
        const recovery = { webhookId, since: start, until: at, held: false, askedAt: at }
        return store.open({ id: `recovery of ${webhookId}`, ...recovery, ...changes }, audit)
      })

    const step = (at: number, limit: number, begin = same) =>
      Effect.flatMap(RedeliveryStore, (store) => store.step(at, limit, begin))

    const states = (all: ReadonlyArray<Delivery>) => all.map(({ state }) => state).toReversed()

    it("a manual attempt is claimed once and has the kind manual, and a success ends the delivery", () =>
      Effect.gen(function* () {
        const { at, id, ids, look } = yield* told(1)
        const [eventId] = ids
        if (eventId === undefined) return assert.fail("nothing happened")
        const retries = Array.from({ length: 5 }, () => retry(id, eventId, at))
        const asked = yield* Effect.all(retries, { concurrency: "unbounded" })
        assert.deepStrictEqual(new Set(asked), new Set([true]))
        const [claimed, ...others] = yield* take(id, at)
        assert.deepInclude(claimed, { kind: "manual", resumeAt: null, attempts: 1 })
        assert.deepStrictEqual(others, [])
        yield* retry(id, eventId, at)
        assert.deepStrictEqual(yield* take(id, at + second), [])
        yield* settle(claimed ?? assert.fail(), successfulAttempt, at)
        assert.deepInclude((yield* look)[0], { state: "delivered", attemptCount: 2, dueAt: null })
        assert.deepStrictEqual(yield* take(id, at + 99 * hour), [])
      }))

    it("a request for a manual retry changes the receiver's state, even if a retry of the delivery is already requested", () =>
      Effect.gen(function* () {
        const { at, id, ids, mine } = yield* told(1)
        const [eventId] = ids
        if (eventId === undefined) return assert.fail("nothing happened")
        const store = yield* RedeliveryStore
        const named = { webhookId: id, eventId, since: start }
        const queued = (begin: (receiver: ReceiverState) => ReceiverState) =>
          store.queue(named, at, (present) => scheduleManualAttempt(present, at), audit, begin)
        const receiver = Effect.flatMap(DeliveryLog, (log) => Effect.map(log.receiver(mine, id), Option.getOrThrow))
        yield* queued((present) => ({
          ...present,
          health: { ...CircuitBreaker.healthyState, probes: 2 },
          quietUntil: at + minute
        }))
        assert.deepInclude(yield* receiver, { quietUntil: at + minute })
        yield* queued(CircuitBreaker.updateAfterManualRetry)
        assert.deepInclude(yield* receiver, { health: { ...CircuitBreaker.healthyState, probes: 2 }, quietUntil: null })
      }))

    it("after a failed manual attempt the schedule continues as planned, and after a crash the manual attempt is repeated", () =>
      Effect.gen(function* () {
        const { at, id, ids, look } = yield* told(1, null)
        const [eventId] = ids
        if (eventId === undefined) return assert.fail("nothing happened")
        yield* retry(id, eventId, at)
        const [lost] = yield* take(id, at)
        const [again] = yield* take(id, at + minute)
        assert.deepInclude(lost, { kind: "manual", resumeAt: start })
        assert.deepInclude(again, { kind: "manual", resumeAt: start, ticket: 2 })
        yield* settle(again ?? assert.fail(), failedAttempt, at + minute)
        assert.deepInclude((yield* look)[0], { state: "pending", dueAt: at + minute })
        const [scheduled] = yield* take(id, at + minute)
        assert.deepInclude(scheduled, { kind: "scheduled", attempts: 0, resumeAt: null })
      }))

    it("a started delivery attempt is in flight until its lease ends", () =>
      Effect.gen(function* () {
        const { at, id } = yield* told(1, null)
        const list = { webhookId: id, state: null, since: start, behind: null, limit: 1 }
        const isUnderWay = (moment: number) =>
          Effect.flatMap(DeliveryLog, (log) => Effect.map(log.page(list, 1, moment), ([one]) => one?.inFlight))
        assert.isFalse(yield* isUnderWay(at))
        yield* take(id, at)
        assert.isTrue(yield* isUnderWay(at + minute - 1))
        assert.isFalse(yield* isUnderWay(at + minute))
      }))

    it("a released attempt does not appear in the list of attempts", () =>
      Effect.gen(function* () {
        const { at, id } = yield* told(1, null)
        const store = yield* DeliveryStore
        for (const [index, isSent] of [true, false, true].entries()) {
          const [claimed] = yield* take(id, at + index * hour)
          if (claimed === undefined) return assert.fail("nothing is due")
          if (isSent) {
            yield* store.settle(claimed, failedAttempt, at, (receiver) => ({
              receiver,
              next: { state: "pending", attempts: 0, dueAt: at },
              notice: null,
              audit: null
            }))
          } else yield* store.release(claimed, at)
        }
        const list = { webhookId: id, state: null, since: start, behind: null, limit: 1 }
        const [shown] = yield* (yield* DeliveryLog).page(list, 2, at)
        assert.lengthOf(shown?.attempts ?? [], 2)
      }))

    it("if a manual attempt fails because signing was impossible, the manual attempt stays requested", () =>
      Effect.gen(function* () {
        const { at, id, ids } = yield* told(1)
        yield* retry(id, ids[0] ?? assert.fail(), at)
        const [claimed] = yield* take(id, at)
        yield* settle(claimed ?? assert.fail(), { ...failedAttempt, status: null, failure: "unsigned" }, at)
        const [again] = yield* take(id, at + 2 * hour)
        assert.deepInclude(again, { kind: "manual", resumeAt: null })
      }))

    it("a delivered event stays delivered with its first delivery time, even if a later attempt fails", () =>
      Effect.gen(function* () {
        const { at, id, ids, look } = yield* told(1, successfulAttempt)
        const settledAt = (yield* look)[0]?.settledAt ?? assert.fail("it did not arrive")
        for (const later of [at + second, at + minute]) {
          yield* retry(id, ids[0] ?? assert.fail(), later)
          assert.deepInclude((yield* look)[0], { state: "pending", dueAt: later, settledAt: null })
          const [claimed] = yield* take(id, later)
          yield* settle(claimed ?? assert.fail(), { ...failedAttempt, at: later }, later)
          assert.deepInclude((yield* look)[0], { state: "delivered", dueAt: null, settledAt })
        }
        yield* retry(id, ids[0] ?? assert.fail(), at + hour)
        const [claimed] = yield* take(id, at + hour)
        yield* settle(claimed ?? assert.fail(), { ...successfulAttempt, at: at + hour }, at + hour)
        assert.deepInclude((yield* look)[0], { state: "delivered", settledAt })
      }))

    it("an event cannot be queued if it is unknown, too old or another webhook's, or if its webhook is removed", () =>
      Effect.gen(function* () {
        const { at, id, ids, mine } = yield* told(1)
        const other = yield* told(1)
        const [eventId] = ids
        const [strange] = other.ids
        if (eventId === undefined || strange === undefined) return assert.fail("nothing happened")
        const store = yield* RedeliveryStore
        assert.isFalse(yield* retry(id, strange, at))
        const late = { webhookId: id, eventId, since: start + 1 }
        assert.isFalse(
          yield* store.queue(late, at, () => assert.fail("it was queued"), audit, CircuitBreaker.updateAfterManualRetry)
        )
        yield* (yield* WebhookStore).remove(mine, id, audit)
        assert.isFalse(yield* retry(id, eventId, at))
      }))

    it("an interrupted recovery continues, oldest event first, and sends each event once", () =>
      Effect.gen(function* () {
        const { at, id, ids, look } = yield* told(5)
        yield* begun(id, at)
        const counts: Array<number> = []
        for (let count = 1; count <= 3; count++) {
          // The steps of a recovery can run in different processes, so the test passes no state from step to step.
          counts.push(Option.getOrThrow(yield* step(at + count * second, 2)))
          const wanted = ids.map((_, index) => (index < count * 2 ? "pending" : "failed"))
          assert.deepStrictEqual(states(yield* look), wanted)
        }
        assert.deepStrictEqual(counts, [2, 2, 1])
        assert.isTrue(Option.isNone(yield* step(at + minute, 2)))
        const taken = yield* Effect.forEach(ids, () => take(id, at + minute, 1))
        assert.deepStrictEqual(
          taken.flat().map(({ attempts, eventId, kind }) => [eventId, attempts, kind]),
          ids.map((eventId) => [eventId, 0, "scheduled"])
        )
      }))

    it("a recovery does not queue an event again that has failed again, even if workers run its steps concurrently", () =>
      Effect.gen(function* () {
        const { at, id, look } = yield* told(6)
        yield* begun(id, at)
        yield* step(at, 2)
        for (const claimed of yield* take(id, at)) yield* settle(claimed, failedAttempt, at)
        const moved = yield* Effect.all(
          Array.from({ length: 8 }, () => step(at, 2)),
          { concurrency: "unbounded" }
        )
        const total = moved.map(Option.getOrElse(() => 0)).reduce((sum, one) => sum + one, 0)
        assert.strictEqual(total, 4)
        assert.strictEqual(states(yield* look).filter((state) => state === "failed").length, 2)
      }))

    it("a recovery sends only failed events of its period and webhook, and count returns the same number", () =>
      Effect.gen(function* () {
        const { at, id, look } = yield* told(4)
        const other = yield* told(2)
        const store = yield* RedeliveryStore
        const span = { since: start + second, until: start + 3 * second }
        assert.strictEqual(yield* store.count(id, "failed", span), 2)
        assert.strictEqual(yield* store.count(id, "pending", span), 0)
        yield* begun(id, at, span)
        assert.deepStrictEqual(yield* step(at, 10), Option.some(2))
        assert.deepStrictEqual(states(yield* look), ["failed", "pending", "pending", "failed"])
        assert.deepStrictEqual(states(yield* other.look), ["failed", "failed"])
      }))

    it("only a recovery with `held: true` makes waiting deliveries due now, and deliveries in flight stay unchanged", () =>
      Effect.gen(function* () {
        const { at, id, look } = yield* told(3, null)
        const [first, inFlight] = yield* take(id, at, 2)
        const patient = { ...defaults, retries: defaults.retries.slice(1) }
        yield* (yield* DeliveryStore).settle(first ?? assert.fail(), failedAttempt, at, (receiver) => ({
          receiver,
          next: decideNextDeliveryState(
            { attempts: 0, resumeAt: null },
            { attempt: failedAttempt, kind: "scheduled" },
            0,
            at,
            patient
          ),
          notice: null,
          audit: null
        }))
        const dueAts = Effect.map(look, (all) => all.map(({ dueAt }) => dueAt).toReversed())
        const before = yield* dueAts
        assert.deepStrictEqual(before.toSorted(), [start + 2 * second, at + minute, at + 5 * minute])
        yield* begun(id, at)
        yield* step(at + second, 10)
        assert.deepStrictEqual(yield* dueAts, before)
        yield* begun(id, at, { id: "failed ones alone" })
        yield* (yield* RedeliveryStore).open(
          { id: "held", webhookId: id, since: start, until: at, held: true, askedAt: at },
          audit
        )
        while (Option.isSome(yield* step(at + second, 2))) yield* Effect.void
        assert.deepStrictEqual((yield* dueAts).toSorted(), [start + 2 * second, at + second, at + minute])
        assert.strictEqual(inFlight?.ticket, 1)
      }))

    it("webhooks take turns with their recoveries, even if one webhook has many jobs", () =>
      Effect.gen(function* () {
        const busy = yield* told(7)
        const other = yield* told(1)
        const at = start + minute
        for (const index of [0, 1, 2, 3]) {
          const since = start + index * 2 * second
          yield* begun(busy.id, at, { id: `busy ${index}`, since, until: since + second })
        }
        yield* begun(other.id, at + second)
        yield* step(at + 2 * second, 10)
        assert.deepStrictEqual(states(yield* other.look), ["failed"])
        yield* step(at + 3 * second, 10)
        assert.deepStrictEqual(states(yield* other.look), ["pending"])
        while (Option.isSome(yield* step(at + 4 * second, 10))) yield* Effect.void
        const sent = ["pending", "failed", "pending", "failed", "pending", "failed", "pending"]
        assert.deepStrictEqual(states(yield* busy.look), sent)
      }))

    it("recovery requests whose periods overlap become one job if none has started, and the job queues only events of the requested periods", () =>
      Effect.gen(function* () {
        const { at, id, look } = yield* told(8)
        const asked = [
          [1, 3],
          [2, 4],
          [0, 2],
          [6, 7]
        ] as const
        for (const [since, until] of asked) {
          const span = { since: start + since * second, until: start + until * second }
          yield* begun(id, at, { id: `${since} to ${until}`, ...span })
        }
        const steps: Array<number> = []
        for (;;) {
          const moved = yield* step(at, 10)
          if (Option.isNone(moved)) break
          steps.push(moved.value)
        }
        assert.deepStrictEqual(steps.toSorted(), [1, 4])
        const [yes, no] = ["pending", "failed"]
        assert.deepStrictEqual(states(yield* look), [yes, yes, yes, yes, no, no, yes, no])
      }))

    it("a recovery that is requested after another recovery has started queues the events that failed again", () =>
      Effect.gen(function* () {
        const { at, id, look } = yield* told(4)
        yield* begun(id, at, { id: "first" })
        yield* step(at, 2)
        for (const claimed of yield* take(id, at)) yield* settle(claimed, failedAttempt, at)
        yield* begun(id, at, { id: "second" })
        while (Option.isSome(yield* step(at, 2))) yield* Effect.void
        assert.deepStrictEqual(states(yield* look), ["pending", "pending", "pending", "pending"])
      }))

    it("recoveries take turns, each changes the receiver's state only in its first step, and a removed webhook's recovery is deleted", () =>
      Effect.gen(function* () {
        const one = yield* told(3)
        const other = yield* told(3)
        const gone = yield* told(1)
        const at = start + minute
        for (const { id } of [one, other, gone]) yield* begun(id, at)
        yield* (yield* WebhookStore).remove(gone.mine, gone.id, audit)
        const seen: Array<WebhookId> = []
        const begin = (receiver: ReceiverState) => {
          seen.push(receiver.webhook.id)
          return CircuitBreaker.startBacklogRateLimit(receiver, at)
        }
        yield* step(at + 1, 2, begin)
        yield* step(at + 2, 2, begin)
        assert.deepStrictEqual(seen.toSorted(), [one.id, other.id].toSorted())
        while (Option.isSome(yield* step(at + 3, 2, begin))) yield* Effect.void
        assert.strictEqual(seen.length, 2)
        const receiver = yield* (yield* DeliveryLog).receiver(one.mine, one.id)
        assert.deepStrictEqual(Option.getOrThrow(receiver).health.draining, { since: at, sent: 0 })
      }))
  })
}
