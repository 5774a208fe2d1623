/**
 * Tests the fair distribution of delivery slots. When delivery slots are scarce, each webhook gets one slot and no
 * webhook takes all slots.
 */
import { assert, it } from "@effect/vitest"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { DeliveryWorker } from "@partner-commentary/core/webhook/DeliveryWorker"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  makeDeliveriesApiReader,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"
import { patchWebhook } from "../support/WebhookCalls.ts"

const idle = InMemory.layerWithoutWorkers()

it.effect(
  "if delivery slots are scarce, each webhook gets one slot; otherwise each webhook gets up to its maximum",
  () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(TestApi.workers)
          const { declined, key } = yield* seedDecliningPartner
          for (let count = 0; count < 3; count++) {
            yield* patchWebhook(key, (yield* registerWebhook(key, ["commentary.failed"])).id, { status: "paused" })
          }
          for (let count = 0; count < 7; count++) yield* declined(`Who is number ${count} this season?`)
        })
      )
      yield* (yield* SqlClient.SqlClient)`UPDATE webhooks SET status = 'active'`
      const deliveryWorker = yield* DeliveryWorker
      const shares = Effect.fnUntraced(function* (free: number, isScarce: boolean) {
        const each = Map.groupBy(yield* deliveryWorker.claim(free, isScarce), ({ claimed }) => claimed.webhookId)
        return [...each.values()].map(({ length }) => length)
      })
      assert.deepStrictEqual(yield* shares(2, true), [1, 1])
      assert.deepStrictEqual(yield* shares(3, true), [1, 1, 1])
      assert.deepStrictEqual((yield* shares(1000, false)).toSorted(), [3, 3, 4])
      assert.deepStrictEqual(yield* shares(1000, false), [])
    }).pipe(Effect.provide(idle))
)

it.effect(
  "a free delivery slot goes to an active organization, even if a suspended organization has older events",
  () =>
    Effect.gen(function* () {
      const { active, suspended } = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(TestApi.workers)
          const paused = Effect.fnUntraced(function* (webhooks: number) {
            const { declined, key, owner } = yield* seedDecliningPartner
            for (let count = 0; count < webhooks; count++) {
              yield* patchWebhook(key, (yield* registerWebhook(key, ["commentary.failed"])).id, { status: "paused" })
            }
            yield* declined("Who wins the derby on Sunday?")
            yield* TestClock.adjust("1 second")
            return owner
          })
          return { suspended: yield* paused(3), active: yield* paused(1) }
        })
      )
      yield* (yield* OrganizationRegistry).update(suspended.id, (present) => ({ ...present, suspendedAt: 0 }))
      yield* (yield* SqlClient.SqlClient)`UPDATE webhooks SET status = 'active'`
      const claimed = yield* (yield* DeliveryWorker).claim(1, true)
      assert.deepStrictEqual(
        claimed.map(({ organizationId }) => organizationId),
        [active.id]
      )
      assert.deepStrictEqual(yield* (yield* DeliveryWorker).claim(1, true), [])
    }).pipe(Effect.provide(idle))
)

/**
 * Counts the failures that the service is storing concurrently. The service stores no failure until the test opens
 * `gate`.
 */
const crowd = { now: 0, most: 0, done: 0, gate: Deferred.makeUnsafe<void>() }

const slowToFail = Layer.effect(
  DeliveryStore,
  Effect.map(DeliveryStore, (store) =>
    DeliveryStore.of({
      ...store,
      settle: (claimed, attempt, ...rest) => {
        if (attempt.failure === null) return store.settle(claimed, attempt, ...rest)
        crowd.now += 1
        crowd.most = Math.max(crowd.most, crowd.now)
        return Effect.tap(
          Effect.andThen(Deferred.await(crowd.gate), store.settle(claimed, attempt, ...rest)),
          Effect.sync(() => {
            crowd.now -= 1
            crowd.done += 1
          })
        )
      }
    })
  )
).pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))

it.effect(
  "if many deliveries fail at the same time, only a few failures are stored concurrently, and no success is delayed",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(({ url }) => Effect.succeed(url.includes("broken") ? { status: 500 } : {}))
      const { declined, key } = yield* seedDecliningPartner
      for (let count = 0; count < 20; count++) {
        yield* registerWebhook(key, ["commentary.failed"], `https://broken-${count}.example/`)
      }
      yield* declined("Who goes down this season?")
      yield* waitForEvents(20)
      const healthy = yield* seedDecliningPartner
      const hook = yield* registerWebhook(healthy.key, ["commentary.failed"], "https://healthy.example/")
      yield* healthy.declined("Who goes up this season?")
      yield* eventually(
        "the healthy one's is written down",
        Effect.map(makeDeliveriesApiReader(healthy.key, hook.id).list(), ([newest]) => newest?.status === "delivered")
      )
      assert.strictEqual(crowd.now, 4)
      Deferred.doneUnsafe(crowd.gate, Exit.void)
      yield* eventually(
        "all failures are written down",
        Effect.sync(() => crowd.done === 20)
      )
      assert.strictEqual(crowd.most, 4)
    }).pipe(
      Effect.ensuring(Effect.sync(() => Deferred.doneUnsafe(crowd.gate, Exit.void))),
      Effect.provide(InMemory.layerWith({ stores: slowToFail }))
    )
)
