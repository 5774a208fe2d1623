/**
 * Tests attempts that are in flight when their webhook gets another URL. The result of the former URL decides only
 * whether the event is sent again.
 */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Ref from "effect/Ref"
import {
  makeDeliveriesApiReader,
  readWebhookRequests,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"
import { getWebhook, patchWebhook, retryDelivery } from "../support/WebhookCalls.ts"

const formerUrl = "https://former.example/in"
const newUrl = "https://new.example/in"

/** Creates a webhook with one event. The responses of the former URL wait for `latch`. */
const sending = Effect.gen(function* () {
  const receivers = yield* InMemoryWebhookReceivers
  const latch = yield* Latch.make()
  const statuses = yield* Ref.make({ former: 200, present: 200 })
  yield* receivers.answer(({ url }) => {
    const isFormer = url === formerUrl
    const read = Ref.get(statuses)
    return Effect.map(isFormer ? Effect.andThen(latch.await, read) : read, ({ former, present }) => ({
      status: isFormer ? former : present,
      retryAfter: "3600"
    }))
  })
  const { declined, key } = yield* seedDecliningPartner
  const hook = yield* registerWebhook(key, ["commentary.failed"], formerUrl)
  yield* declined("Who goes down this season?")
  yield* waitForEvents(1)
  const { list, one } = makeDeliveriesApiReader(key, hook.id)
  const [{ id }] = yield* list()
  return {
    answer: (former: number, present: number) => Ref.set(statuses, { former, present }),
    declined,
    hook,
    latch,
    move: patchWebhook(key, hook.id, { url: newUrl }),
    receiver: Effect.map(getWebhook(key, `/${hook.id}`), ({ body }) => body.data),
    retry: retryDelivery(key, hook.id, id),
    tried: (count: number) =>
      eventually(
        `${count} attempts`,
        Effect.map(one(id), (seen) => (seen.attempt_count === count ? seen : undefined))
      ),
    urls: Effect.map(readWebhookRequests, (requests) => requests.map(({ url }) => url))
  }
})

for (const status of [410, 429, 500]) {
  it.effect(`a ${status} of the former URL changes nothing for the new URL, which gets the event immediately`, () =>
    Effect.gen(function* () {
      const { answer, latch, move, receiver, tried, urls } = yield* sending
      yield* move
      yield* answer(status, 200)
      yield* latch.open
      assert.deepInclude(yield* tried(2), { status: "delivered" })
      assert.deepStrictEqual(yield* urls, [formerUrl, newUrl])
      assert.deepInclude(yield* receiver, { url: newUrl, status: "active", consecutive_failures: 0 })
    }).pipe(Effect.provide(InMemory.layer))
  )
}

it.effect("a failure of the former URL does not count as an attempt of the event's schedule", () =>
  Effect.gen(function* () {
    const { answer, hook, latch, move, tried } = yield* sending
    yield* move
    yield* answer(500, 500)
    yield* latch.open
    yield* hook.failures(1)
    const { attempts, next_attempt_at } = yield* tried(2)
    const wait = Date.parse(next_attempt_at) - Date.parse(attempts[1].at)
    assert.isTrue(wait >= 5000 && wait <= 5500, `${wait}: the first delay, five seconds`)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a success of the former URL delivers the event and keeps the failures of the new URL", () =>
  Effect.gen(function* () {
    const { answer, declined, hook, latch, move, receiver, tried } = yield* sending
    yield* move
    yield* answer(200, 500)
    yield* declined("Who wins the cup this season?")
    yield* hook.failures(1)
    yield* latch.open
    assert.deepInclude(yield* tried(1), { status: "delivered" })
    assert.strictEqual((yield* receiver).consecutive_failures, 1)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a manual retry that fails at the former URL is repeated as a manual retry at the new URL", () =>
  Effect.gen(function* () {
    const { answer, hook, latch, move, retry, tried } = yield* sending
    yield* latch.open
    const { settled_at } = yield* tried(1)
    yield* latch.close
    yield* retry
    yield* waitForEvents(2)
    yield* move
    yield* answer(500, 500)
    yield* latch.open
    yield* hook.failures(1)
    const { attempts, ...delivery } = yield* tried(3)
    assert.deepInclude(delivery, { status: "delivered", settled_at, next_attempt_at: null })
    assert.deepStrictEqual(
      attempts.map(({ kind }: { readonly kind: string }) => kind),
      ["scheduled", "manual", "manual"]
    )
  }).pipe(Effect.provide(InMemory.layer))
)
