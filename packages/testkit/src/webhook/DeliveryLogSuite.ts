/** Tests the guarantees of the DeliveryLog port for waiting deliveries. */
import { assert, describe } from "@effect/vitest"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { DeliveryLog } from "@partner-commentary/core/webhook/DeliveryLog"
import type { Webhook } from "@partner-commentary/core/webhook/Webhook"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Creator from "../support/Creator.ts"
import { makeOwner, makePersonas, makeSubmission, makeWebhook, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

export const suite = <E>(
  name: string,
  layer: Layer.Layer<DeliveryLog | WebhookStore | TopicStore | AssignmentStore, E>
): void => {
  describe(`${name}: DeliveryLog`, () => {
    const it = makeGuaranteeTest(layer)

    const register = Effect.fnUntraced(function* (one: Webhook) {
      const audit = { action: "webhook.created", details: {} }
      yield* (yield* WebhookStore).insert({ webhook: one, audit, notice: null }, "sealed", 20)
      return one
    })

    /** Creates a webhook with three waiting deliveries, and another owner's webhook without deliveries. */
    const webhooks = Effect.gen(function* () {
      const one = yield* register(makeWebhook({ owner: makeOwner() }))
      const topic = makeSubmission({ topic: { ...one.owner }, personas: makePersonas(3) })
      yield* Effect.forEach((yield* (yield* TopicStore).submit(topic)).sent, Creator.decline)
      return { one, other: yield* register(makeWebhook({ owner: makeOwner() })) }
    })

    it("waiting deliveries are counted by webhook, with the time of the oldest delivery, and an empty list of webhooks gives an empty result", () =>
      Effect.gen(function* () {
        const { one, other } = yield* webhooks
        const log = yield* DeliveryLog
        const found = yield* log.waiting([one.id, other.id])
        assert.deepStrictEqual([...found], [[one.id, { count: 3, since: start }]])
        assert.strictEqual((yield* log.waiting([])).size, 0)
      }))

    it("receivers are returned with the number of their waiting deliveries, which is counted up to a limit", () =>
      Effect.gen(function* () {
        const { one, other } = yield* webhooks
        const { receivers } = yield* DeliveryLog
        const found = yield* receivers([one.id, other.id], 2)
        const pending = new Map(found.map(({ pending, receiver }) => [receiver.webhook.id, pending]))
        assert.deepStrictEqual([pending.get(one.id), pending.get(other.id), pending.size], [2, 0, 2])
        assert.deepStrictEqual(yield* receivers([], 2), [])
      }))
  })
}
