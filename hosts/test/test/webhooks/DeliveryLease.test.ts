/** Tests the lease of a delivery. No other worker may claim the delivery while its request may still be running. */
import { assert, it } from "@effect/vitest"
import { defaults } from "@partner-commentary/core/shared/Policy"
import { DeliveryWorker } from "@partner-commentary/core/webhook/DeliveryWorker"
import * as InMemory from "@partner-commentary/test/InMemory"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { registerWebhook, seedDecliningPartner } from "../support/DeliveryCalls.ts"
import { patchWebhook } from "../support/WebhookCalls.ts"

const { timeout } = defaults.webhooks

it.effect("if the configured lease is too short, a delivery's lease lasts twice as long as the request timeout", () =>
  Effect.gen(function* () {
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Layer.build(TestApi.workers)
        const { declined, key } = yield* seedDecliningPartner
        yield* patchWebhook(key, (yield* registerWebhook(key, ["commentary.failed"])).id, { status: "paused" })
        yield* declined("Who goes down this season?")
      })
    )
    yield* (yield* SqlClient.SqlClient)`UPDATE webhooks SET status = 'active'`
    const worker = yield* DeliveryWorker
    const claimed = Effect.map(worker.claim(10, false), ({ length }) => length)
    assert.strictEqual(yield* claimed, 1)
    yield* TestClock.adjust(Duration.subtract(Duration.times(timeout, 2), Duration.seconds(1)))
    assert.strictEqual(yield* claimed, 0)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* claimed, 1)
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers({ policy: { lease: Duration.seconds(1) } })))
)
