/**
 * Tests the guarantees of the DeliveryStore port for the following delivery: a delivery that is claimed in the
 * transaction that settles another delivery.
 */
import { assert, describe } from "@effect/vitest"
import { defaults as policy } from "@partner-commentary/core/shared/WebhookPolicy"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import * as CircuitBreaker from "@partner-commentary/core/webhook/CircuitBreaker"
import {
  type ClaimedDelivery,
  type DeliveryClaimPlan,
  DeliveryStore
} from "@partner-commentary/core/webhook/DeliveryStore"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Creator from "../support/Creator.ts"
import { makeOwner, makePersonas, makeSubmission, makeWebhook, minute, second, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const success: DeliveryAttempt = {
  at: start,
  duration: 12,
  status: 204,
  failure: null,
  reason: null,
  excerpt: "",
  retryAfter: null
}

const upTo = (limit: number): DeliveryClaimPlan => ({
  allow: (present, inFlight) => {
    const allowed = CircuitBreaker.calculateDeliveryAllowance(present, inFlight, start, policy)
    return { ...allowed, limit: Math.min(allowed.limit, limit) }
  },
  taken: (present) => present
})

const lease = start + minute

export const suite = <E>(
  name: string,
  layer: Layer.Layer<DeliveryStore | WebhookStore | TopicStore | AssignmentStore, E>
): void => {
  describe(`${name}: DeliveryStore, the following delivery`, () => {
    const it = makeGuaranteeTest(layer)

    /** Creates a webhook with `due` due deliveries, and claims `limit` deliveries. */
    const taken = Effect.fnUntraced(function* (due: number, limit: number) {
      const one = makeWebhook({ owner: makeOwner() })
      const audit = { action: "webhook.created", details: {} }
      yield* (yield* WebhookStore).insert({ webhook: one, audit, notice: null }, "sealed", 20)
      const topic = makeSubmission({ topic: { ...one.owner }, personas: makePersonas(due) })
      yield* Effect.forEach((yield* (yield* TopicStore).submit(topic)).sent, Creator.decline)
      return yield* (yield* DeliveryStore).claim(one.id, start, lease, upTo(limit))
    })

    const settle = Effect.fnUntraced(function* (
      claimed: ClaimedDelivery,
      following: { readonly lease: number; readonly taking: DeliveryClaimPlan },
      change: (receiver: CircuitBreaker.ReceiverState) => CircuitBreaker.ReceiverState = (receiver) => receiver
    ) {
      const settled = yield* (yield* DeliveryStore).settle(
        claimed,
        success,
        start + second,
        (present) => ({ receiver: change(present), next: { state: "delivered" }, notice: null, audit: null }),
        following
      )
      return Option.getOrThrow(settled)
    })

    it("the following delivery has the same fields as a claimed delivery, and no other worker claims it", () =>
      Effect.gen(function* () {
        const [first] = yield* taken(3, 1)
        if (first === undefined) return assert.fail("nothing was taken")
        const { following } = yield* settle(first, { lease, taking: upTo(1) })
        const [next] = following
        assert.strictEqual(following.length, 1)
        assert.notStrictEqual(next?.eventId, first.eventId)
        assert.strictEqual(JSON.parse(next?.payload ?? "").id, `evt_${next?.eventId}`)
        const { eventId, payload, ...rest } = next ?? assert.fail()
        const { eventId: _, payload: __, ...former } = first
        assert.deepStrictEqual(rest, former)
        const others = yield* (yield* DeliveryStore).claim(first.webhookId, start, lease, upTo(5))
        assert.strictEqual(others.length, 1)
        assert.notInclude([first.eventId, next?.eventId], others[0]?.eventId)
      }))

    it("the following delivery is claimed only within the limit, and the settled delivery no longer counts towards the limit", () =>
      Effect.gen(function* () {
        const [first] = yield* taken(8, 5)
        if (first === undefined) return assert.fail("nothing was taken")
        const { following } = yield* settle(first, { lease, taking: upTo(5) })
        assert.strictEqual(following.length, 1)
        assert.deepStrictEqual(yield* (yield* DeliveryStore).claim(first.webhookId, start, lease, upTo(5)), [])
      }))

    it("attempts that end at the same time get different following deliveries, within the limit", () =>
      Effect.gen(function* () {
        const claimed = yield* taken(10, 4)
        const [{ webhookId } = assert.fail("nothing was taken")] = claimed
        const settled = yield* Effect.forEach(claimed, (one) => settle(one, { lease, taking: upTo(1) }), {
          concurrency: "unbounded"
        })
        const following = settled.flatMap((one) => one.following.map(({ eventId }) => eventId))
        assert.strictEqual(new Set(following).size, 4)
        assert.isTrue(settled.every((one) => one.following.length === 1))
        assert.lengthOf(yield* (yield* DeliveryStore).claim(webhookId, start, lease, upTo(5)), 1)
      }))

    it("if several attempts are settled at the same time, an attempt that was already stored fails, and the others succeed", () =>
      Effect.gen(function* () {
        const [first, ...others] = yield* taken(5, 5)
        if (first === undefined) return assert.fail("nothing was taken")
        yield* settle(first, { lease, taking: upTo(1) })
        const [leader = assert.fail(), ...rest] = others
        const exits = yield* Effect.forEach(
          [leader, first, ...rest],
          (one) => Effect.exit(settle(one, { lease, taking: upTo(1) })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true, true, true])
      }))

    it("an attempt that disables its webhook gets no following delivery", () =>
      Effect.gen(function* () {
        const [first] = yield* taken(2, 1)
        if (first === undefined) return assert.fail("nothing was taken")
        const { after, before, following } = yield* settle(first, { lease, taking: upTo(1) }, (receiver) => ({
          ...receiver,
          webhook: { ...receiver.webhook, status: "disabled" }
        }))
        assert.deepStrictEqual(following, [])
        assert.deepStrictEqual([before.webhook.status, after.webhook.status], ["active", "disabled"])
      }))

    it("the changes of the receiver by the attempt and by the claim of the following delivery are stored together", () =>
      Effect.gen(function* () {
        const [first] = yield* taken(2, 1)
        if (first === undefined) return assert.fail("nothing was taken")
        const taking: DeliveryClaimPlan = {
          ...upTo(1),
          taken: (present) => ({ ...present, quietUntil: start + minute })
        }
        const { after } = yield* settle(first, { lease, taking }, (receiver) => ({
          ...receiver,
          webhook: { ...receiver.webhook, lastDeliveryAt: start }
        }))
        const seen: Array<CircuitBreaker.ReceiverState> = []
        const allow: DeliveryClaimPlan["allow"] = (present) => {
          seen.push(present)
          return { limit: 0, probe: false }
        }
        yield* (yield* DeliveryStore).claim(first.webhookId, start, lease, {
          allow,
          taken: (present) => present
        })
        assert.deepStrictEqual(seen, [after])
        assert.deepStrictEqual([after.webhook.lastDeliveryAt, after.quietUntil], [start, start + minute])
      }))
  })
}
