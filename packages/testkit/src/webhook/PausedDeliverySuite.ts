/** Tests the guarantees of the DeliveryStore port for a webhook that pauses after a 429 response. */
import { assert, describe } from "@effect/vitest"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as CircuitBreaker from "@partner-commentary/core/webhook/CircuitBreaker"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
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
  start
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const audit = { action: "webhook.created", details: {} }

const first = { allow: () => ({ limit: 1, probe: false }), taken: (present: CircuitBreaker.ReceiverState) => present }

export const suite = <E>(
  name: string,
  layer: Layer.Layer<DeliveryStore | WebhookStore | TopicStore | AssignmentStore, E>
): void => {
  describe(`${name}: DeliveryStore, a pause after a 429`, () => {
    const it = makeGuaranteeTest(layer)

    it("a pause after a 429 is stored with the webhook, and neither a shorter postponement nor the repair of pauses shortens it", () =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const one = makeWebhook({ owner: makeOwner() })
        yield* (yield* WebhookStore).insert({ webhook: one, audit, notice: null }, "sealed", 20)
        const topic = makeSubmission({ topic: { ...one.owner }, personas: makePersonas(2) })
        yield* Effect.forEach((yield* (yield* TopicStore).submit(topic)).sent, Creator.decline)
        const until = start + 20 * hour
        const throttle = { since: start, pausedAt: start, until, pauses: 1, toldAt: null }
        const [claimed] = yield* store.claim(one.id, start, start + minute, first)
        yield* store.settle(claimed ?? assert.fail(), failedAttempt, start + second, () => ({
          receiver: { webhook: one, health: { ...CircuitBreaker.healthyState, throttle }, quietUntil: until },
          next: { state: "pending", attempts: 0, dueAt: start },
          notice: null,
          audit: null
        }))
        yield* store.postpone(one.id, start + hour)
        yield* store.repairPauses(until, () => true)
        yield* store.repairPauses(start + hour, () => false)
        assert.deepStrictEqual(yield* store.dueWebhooks(until - 1, 5, 10), [])
        assert.deepStrictEqual(yield* store.nextDue, Option.some(until))
        assert.lengthOf(yield* store.dueWebhooks(until, 5, 10), 1)
        const seen: Array<CircuitBreaker.ReceiverState> = []
        yield* store.claim(one.id, until, until + hour, {
          allow: (present) => {
            seen.push(present)
            return { limit: 0, probe: false }
          },
          taken: (present) => present
        })
        assert.deepStrictEqual(
          seen.map(({ health, quietUntil }) => [health.throttle, quietUntil]),
          [[throttle, until]]
        )
        yield* store.repairPauses(until - 1, ({ quietUntil }) => quietUntil === until)
        assert.lengthOf(yield* store.dueWebhooks(start + hour, 5, 10), 1)
      }))
  })
}
