/**
 * Tests the guarantees of the DeliveryStore port. An event is stored together with its change or not at all, only one
 * worker claims a delivery, and no limit is exceeded.
 */
import { assert, describe } from "@effect/vitest"
import type { WebhookId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import { defaults as policy } from "@partner-commentary/core/shared/WebhookPolicy"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import type { CircuitBreakerState, ReceiverState } from "@partner-commentary/core/webhook/CircuitBreaker"
import { calculateDeliveryAllowance, healthyState } from "@partner-commentary/core/webhook/CircuitBreaker"
import { decideNextDeliveryState, type NextDeliveryState } from "@partner-commentary/core/webhook/DeliveryPlan"
import type { ClaimedDelivery, DeliverySettlement } from "@partner-commentary/core/webhook/DeliveryStore"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import type { Webhook } from "@partner-commentary/core/webhook/Webhook"
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

const audit = { action: "webhook.created", details: {} }

const open = {
  allow: (present: ReceiverState, inFlight: number) => calculateDeliveryAllowance(present, inFlight, start, policy),
  taken: (present: ReceiverState) => present
}

export const suite = <E>(
  name: string,
  layer: Layer.Layer<DeliveryStore | WebhookStore | TopicStore | AssignmentStore | Transaction, E>
): void => {
  describe(`${name}: DeliveryStore`, () => {
    const it = makeGuaranteeTest(layer)

    const registered = Effect.fnUntraced(function* (changes: Partial<Webhook> = {}) {
      const made = makeWebhook(changes)
      yield* (yield* WebhookStore).insert({ webhook: made, audit, notice: null }, `sealed ${made.id}`, 20)
      return made
    })

    const change = (mine: Owner | null, id: WebhookId, changes: Partial<Webhook>) =>
      Effect.flatMap(WebhookStore, ({ modify }) =>
        modify(mine, id, (present) => ({ webhook: { ...present, ...changes }, audit, notice: null }))
      )

    /** Submits a topic with `count` assignments. */
    const sent = Effect.fnUntraced(function* (mine: Owner, count: number) {
      const given = makeSubmission({
        topic: { ...mine, externalReference: "a-1", metadata: { k: '"' } },
        personas: makePersonas(count)
      })
      return (yield* (yield* TopicStore).submit(given)).sent
    })

    const declined = (mine: Owner, count: number) =>
      Effect.flatMap(sent(mine, count), (ids) => Effect.forEach(ids, Creator.decline))

    const claim = (id: WebhookId, at = start, lease = start + minute) =>
      Effect.flatMap(DeliveryStore, (store) => store.claim(id, at, lease, open))

    const settle = (
      claimed: ClaimedDelivery,
      attempt: DeliveryAttempt,
      then: Partial<DeliverySettlement> = {},
      at = start + second
    ) =>
      Effect.flatMap(DeliveryStore, (store) =>
        store.settle(claimed, attempt, at, (receiver) => ({
          receiver,
          next: decideNextDeliveryState(claimed, { attempt, kind: claimed.kind }, 0, at, policy),
          notice: null,
          audit: null,
          ...then
        }))
      )

    it("an event is delivered with its payload to each webhook of its owner that subscribed to the event's type", () =>
      Effect.gen(function* () {
        const mine = makeOwner()
        const both = [yield* registered({ owner: mine }), yield* registered({ owner: mine, status: "paused" })]
        const others = [
          yield* registered({ owner: mine, events: ["creator.approved", "partner.approved"] }),
          yield* registered({ owner: { ...mine, environment: "test" } }),
          yield* registered()
        ]
        const [assignment] = yield* declined(mine, 1)
        yield* change(null, both[1]?.id ?? assert.fail(), { status: "active" })
        const seen = yield* Effect.forEach(both, ({ id }) => claim(id))
        for (const [claimed] of seen) {
          const event = JSON.parse(claimed?.payload ?? "")
          assert.deepInclude(event, { id: `evt_${claimed?.eventId}`, type: "commentary.failed", sequence: 1 })
          assert.deepInclude(event.data, {
            topic_id: assignment?.topicId,
            external_reference: "a-1",
            metadata: { k: '"' },
            share_id: assignment?.id,
            reason: "declined"
          })
        }
        assert.deepInclude(seen[0]?.[0], { attempts: 0, ticket: 1, kind: "scheduled", resumeAt: null })
        assert.strictEqual(seen[0]?.[0]?.encryptedSecret, `sealed ${both[0]?.id}`)
        for (const { id } of others) assert.deepStrictEqual(yield* claim(id), [])
      }))

    it("an event is stored with its change, is rolled back with its change, and is never stored twice", () =>
      Effect.gen(function* () {
        const mine = makeOwner()
        const { id } = yield* registered({ owner: mine })
        const [share] = yield* sent(mine, 1)
        if (share === undefined) return assert.fail("nothing was sent")
        const { run } = yield* Transaction
        yield* Effect.flip(run(Effect.andThen(Creator.decline(share), Effect.fail("undone"))))
        assert.deepStrictEqual(yield* claim(id), [])
        yield* Creator.decline(share)
        yield* Creator.decline(share)
        assert.strictEqual((yield* claim(id)).length, 1)
      }))

    it("20 concurrent workers never claim the same delivery, and never more deliveries than the limit", () =>
      Effect.gen(function* () {
        const mine = makeOwner()
        const { id } = yield* registered({ owner: mine })
        yield* declined(mine, 12)
        const round = Effect.map(
          Effect.all(
            Array.from({ length: 20 }, () => claim(id)),
            { concurrency: "unbounded" }
          ),
          (taken) => taken.flat()
        )
        const first = yield* round
        assert.strictEqual(first.length, 5)
        assert.strictEqual(new Set(first.map(({ eventId }) => eventId)).size, 5)
        for (const claimed of first.slice(0, 2)) yield* settle(claimed, successfulAttempt)
        const second = yield* round
        assert.strictEqual(second.length, 2)
        assert.isTrue(second.every(({ eventId }) => first.every((one) => one.eventId !== eventId)))
      }))

    it("the oldest due deliveries are claimed first", () =>
      Effect.gen(function* () {
        const mine = makeOwner()
        const { id } = yield* registered({ owner: mine })
        for (let hours = 0; hours < 3; hours++) {
          yield* TestClock.setTime(start + hours * hour)
          yield* declined(mine, 1)
        }
        const store = yield* DeliveryStore
        const late = start + 9 * hour
        const one = { ...open, allow: () => ({ limit: 1, probe: false }) }
        const moments: Array<string> = []
        for (let count = 0; count < 3; count++) {
          const [claimed] = yield* store.claim(id, late, late + minute, one)
          moments.push(JSON.parse(claimed?.payload ?? "").timestamp)
        }
        assert.strictEqual(new Set(moments).size, 3)
        assert.deepStrictEqual(moments, moments.toSorted())
      }))

    it("a delivery without a result is due again when its lease ends, and a late failure with the outdated ticket changes nothing", () =>
      Effect.gen(function* () {
        const mine = makeOwner()
        const { id } = yield* registered({ owner: mine })
        yield* declined(mine, 1)
        const [first] = yield* claim(id)
        assert.deepStrictEqual(yield* claim(id, start + minute - 1), [])
        const [second] = yield* claim(id, start + minute, start + 2 * minute)
        assert.strictEqual(second?.ticket, 2)
        if (first === undefined || second === undefined) return assert.fail("nothing was taken")
        const found = Option.getOrThrow(yield* (yield* WebhookStore).find(mine, id))
        const worse = { webhook: { ...found, consecutiveFailures: 3 }, health: healthyState, quietUntil: null }
        yield* settle(first, failedAttempt, { receiver: worse })
        assert.deepStrictEqual(yield* (yield* WebhookStore).find(mine, id), Option.some(found), "perhaps we slept")
        assert.deepStrictEqual(yield* claim(id, start + 2 * minute - 1), [])
        yield* settle(second, failedAttempt)
        const [third] = yield* claim(id, start + 10 * second.ticket * 1000 * 60)
        assert.deepInclude(third, { ticket: 3, attempts: 1 })
      }))

    it("a successful attempt ends the delivery even if its ticket is outdated", () =>
      Effect.gen(function* () {
        const mine = makeOwner()
        const { id } = yield* registered({ owner: mine })
        yield* declined(mine, 1)
        const [first] = yield* claim(id)
        const [second] = yield* claim(id, start + minute, start + 2 * minute)
        if (first === undefined || second === undefined) return assert.fail("nothing was taken")
        yield* settle(first, successfulAttempt)
        yield* settle(second, failedAttempt)
        assert.deepStrictEqual(yield* claim(id, start + 99 * hour), [])
      }))

    it("the result of a delivery attempt is stored: the next due time or the end of the delivery, and the receiver's state", () =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const mine = makeOwner()
        const { id } = yield* registered({ owner: mine })
        yield* declined(mine, 1)
        const take = Effect.fnUntraced(function* (at: number) {
          const [claimed] = yield* claim(id, at, at + minute)
          return claimed ?? assert.fail("nothing was taken")
        })
        const health: CircuitBreakerState = { ...healthyState, failingSince: start, warned: true, probes: null }
        const found = Option.getOrThrow(yield* (yield* WebhookStore).find(mine, id))
        const receiver = {
          webhook: { ...found, consecutiveFailures: 3, lastDeliveryAt: start },
          health,
          quietUntil: start + hour
        }
        yield* settle(yield* take(start), failedAttempt, { receiver })
        const kept = Option.getOrThrow(yield* (yield* WebhookStore).find(mine, id))
        assert.deepInclude(kept, { consecutiveFailures: 3, lastDeliveryAt: start, updatedAt: found.updatedAt })
        assert.deepStrictEqual(yield* store.nextDue, Option.some(start + hour))
        assert.deepStrictEqual(yield* store.dueWebhooks(start + hour - 1, 5, 10), [])
        assert.deepStrictEqual(yield* store.dueWebhooks(start + hour, 5, 10), [
          { webhookId: id, organizationId: mine.organizationId }
        ])
        const seen: Array<ReceiverState> = []
        const [claimed] = yield* store.claim(id, start + hour, start + hour + minute, {
          allow: (present) => {
            seen.push(present)
            return { limit: 1, probe: true }
          },
          taken: (present) => ({ ...present, quietUntil: null })
        })
        assert.deepStrictEqual(seen, [receiver])
        assert.deepInclude(claimed, { attempts: 1, kind: "probe" })
        const over: NextDeliveryState = { state: "failed", attempts: 10 }
        yield* settle(claimed ?? assert.fail(), failedAttempt, { next: over })
        assert.deepStrictEqual(yield* store.nextDue, Option.none())
      }))

    it("dueWebhooks lists each webhook with deliverable events once, oldest due time first", () =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const [late, early, quiet, paused] = yield* Effect.forEach([1, 2, 3, 4], () => {
          const mine = makeOwner()
          return Effect.map(registered({ owner: mine }), ({ id }) => ({ id, mine }))
        })
        if (late === undefined || early === undefined || quiet === undefined || paused === undefined) return
        yield* declined(early.mine, 7)
        yield* declined(quiet.mine, 1)
        yield* declined(paused.mine, 1)
        yield* TestClock.setTime(start + second)
        yield* declined(late.mine, 2)
        yield* store.postpone(quiet.id, start + hour)
        yield* change(null, paused.id, { status: "paused" })
        const lanes = (at: number, limit = 10) =>
          Effect.map(store.dueWebhooks(at, 5, limit), (all) => all.map(({ webhookId }) => webhookId))
        assert.deepStrictEqual(yield* lanes(start + second), [early.id, late.id])
        assert.deepStrictEqual(yield* lanes(start + second, 1), [early.id])
        assert.deepStrictEqual(yield* lanes(start), [early.id])
        assert.strictEqual((yield* claim(early.id)).length, 5)
        assert.deepStrictEqual(yield* lanes(start + second), [late.id])
        assert.deepStrictEqual(yield* lanes(start + minute), [early.id, late.id])
        assert.deepStrictEqual(yield* claim(paused.id), [])
        assert.deepStrictEqual(yield* lanes(start + hour), [early.id, quiet.id, late.id])
      }))

    it("a released delivery is due immediately, and its attempt does not count", () =>
      Effect.gen(function* () {
        const mine = makeOwner()
        const { id } = yield* registered({ owner: mine })
        yield* declined(mine, 1)
        const [claimed] = yield* claim(id)
        if (claimed === undefined) return assert.fail("nothing was taken")
        yield* (yield* DeliveryStore).release(claimed, start + second)
        const [again] = yield* claim(id, start + second)
        assert.deepInclude(again, { eventId: claimed.eventId, attempts: 0, ticket: 2 })
      }))

    it("the backlog counts due deliveries up to the limit, held deliveries, open circuit breakers and disabled webhooks", () =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const mine = makeOwner()
        const far = 10_000
        const before = yield* store.backlog(start + hour, far)
        const seen = Effect.map(store.backlog(start + hour, far), ({ disabled, due, held, open }) => [
          due - before.due,
          held - before.held,
          open - before.open,
          disabled - before.disabled
        ])
        const one = yield* registered({ owner: mine })
        yield* declined(mine, 6)
        assert.deepStrictEqual(yield* seen, [6, 0, 0, 0])
        assert.strictEqual((yield* store.backlog(start + hour, 2)).due, 2)
        const [claimed, inFlight] = yield* claim(one.id, start, start + 9 * hour)
        const receiver = (status: Webhook["status"], probes: number | null, quietUntil: number | null) => ({
          webhook: { ...one, status },
          health: { ...healthyState, failingSince: start, probes },
          quietUntil
        })
        const as = (...given: Parameters<typeof receiver>) =>
          settle(inFlight ?? assert.fail(), failedAttempt, { receiver: receiver(...given) })
        yield* store.release(claimed ?? assert.fail(), start)
        assert.deepStrictEqual(yield* seen, [2, 0, 0, 0], "those under way wait no more")
        yield* as("active", 0, start + 9 * hour)
        assert.deepStrictEqual(yield* seen, [0, 6, 1, 0])
        yield* change(mine, one.id, { status: "paused" })
        assert.deepStrictEqual(yield* seen, [0, 6, 1, 0])
        yield* change(mine, one.id, { status: "disabled" })
        assert.deepStrictEqual(yield* seen, [0, 6, 1, 1])
        yield* (yield* WebhookStore).remove(mine, one.id, audit)
        assert.deepStrictEqual(yield* seen, [0, 0, 0, 0])
      }))

    it("the repair corrects due times and leases that a fast clock set too late, and keeps other due times", () =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const mine = makeOwner()
        const { id } = yield* registered({ owner: mine })
        yield* declined(mine, 4)
        const [waits, late, early, leased] = yield* claim(id, start, start + 40 * hour)
        for (const [claimed, dueAt, at] of [
          [waits, start + 26 * hour, start],
          [late, start + 27 * hour, start],
          [early, start + 2 * hour, start + hour]
        ] as const) {
          const next: NextDeliveryState = { state: "pending", attempts: 1, dueAt }
          yield* settle(claimed ?? assert.fail(), { ...failedAttempt, at }, { next })
        }
        const latest = { now: start, leased: start + minute, waiting: [start, start + 26 * hour] } as const
        for (const _ of ["once", "twice"]) yield* store.repairDueTimes(latest)
        const claimedAt = (at: number) => Effect.map(claim(id, at), (all) => all.map(({ eventId }) => eventId))
        assert.deepStrictEqual(yield* claimedAt(start), [late?.eventId, early?.eventId])
        assert.deepStrictEqual(yield* claimedAt(start + minute - 1), [])
        assert.include(yield* claimedAt(start + minute), leased?.eventId)
      }))

    it("a removed webhook has no due deliveries, and the result of an attempt in flight is discarded", () =>
      Effect.gen(function* () {
        const mine = makeOwner()
        const { id } = yield* registered({ owner: mine })
        yield* declined(mine, 2)
        const [claimed] = yield* claim(id)
        yield* (yield* WebhookStore).remove(mine, id, audit)
        assert.isTrue(Option.isNone(yield* settle(claimed ?? assert.fail(), successfulAttempt)))
        assert.deepStrictEqual(yield* claim(id, start + hour), [])
        assert.isTrue(Option.isNone(yield* (yield* DeliveryStore).nextDue))
      }))

    it("a removed webhook's rows are deleted in steps, and other webhooks' rows stay", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const mine = makeOwner()
        const gone = yield* registered({ owner: mine })
        const stays = yield* registered({ owner: mine })
        yield* declined(mine, 3)
        const [claimed] = yield* claim(gone.id)
        yield* settle(claimed ?? assert.fail(), successfulAttempt)
        assert.strictEqual(yield* store.clear(2), 0)
        yield* store.remove(mine, gone.id, audit)
        const steps = []
        for (let step = 0; step < 6; step++) steps.push(yield* store.clear(2))
        // The six calls of `clear` delete the attempt, the three deliveries, and the webhook.
        assert.deepStrictEqual(steps, [1, 2, 1, 1, 0, 0])
        assert.lengthOf(yield* claim(stays.id), 3)
      }))

    it("activating a webhook or changing its URL ends its pause", () =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        for (const changes of [
          { status: "active" as const, consecutiveFailures: 0 },
          { url: "https://moved.example/" }
        ]) {
          const mine = makeOwner()
          const one = yield* registered({ owner: mine, consecutiveFailures: 12 })
          yield* declined(mine, 1)
          const [claimed] = yield* claim(one.id)
          yield* settle(claimed ?? assert.fail(), failedAttempt, {
            receiver: { webhook: one, health: { ...healthyState, probes: 4 }, quietUntil: start + 9 * hour }
          })
          yield* change(mine, one.id, { events: ["commentary.failed"] })
          assert.deepStrictEqual(yield* store.dueWebhooks(start + hour, 5, 10), [])
          yield* change(mine, one.id, changes)
          assert.strictEqual((yield* store.dueWebhooks(start + hour, 5, 10)).length, 1)
          yield* (yield* WebhookStore).remove(mine, one.id, audit)
        }
      }))
  })
}
