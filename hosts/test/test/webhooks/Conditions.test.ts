/**
 * Tests what a webhook shows about its receiver: why the webhook was disabled, the circuit breaker, and the held
 * deliveries.
 */
import { assert, it } from "@effect/vitest"
import { defaults } from "@partner-commentary/core/shared/WebhookPolicy"
import { NoWebhookResponse } from "@partner-commentary/core/webhook/WebhookTransport"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { registerWebhook, seedDecliningPartner } from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import { getWebhook, patchWebhook } from "../support/WebhookCalls.ts"

const sound = {
  disabled_reason: null,
  disabled_at: null,
  circuit: { state: "closed", open_until: null },
  held_count: 0
}

const shownWhen = (key: string, id: string, isWanted: (data: { readonly [name: string]: unknown }) => boolean) =>
  eventually(
    "the webhook's condition",
    Effect.map(getWebhook(key, `/${id}`), ({ body }) => (isWanted(body.data) ? body.data : undefined))
  )

it.effect(
  "a disabled webhook shows the reason, the time and the number of held deliveries, until the partner activates it",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(() => Effect.succeed({ status: 410 }))
      const { declined, key } = yield* seedDecliningPartner
      const { id } = yield* registerWebhook(key, ["commentary.failed"])
      assert.deepInclude((yield* getWebhook(key, `/${id}`)).body.data, sound)
      yield* declined("Who takes the title this season?")
      const shown = yield* shownWhen(key, id, ({ status }) => status === "disabled")
      assert.include(shown.disabled_reason, "410")
      assert.strictEqual(shown.disabled_at, "2026-03-01T09:00:00.000Z")
      assert.deepInclude(shown, { circuit: sound.circuit, held_count: 1 })
      assert.deepStrictEqual((yield* getWebhook(key)).body.data, [shown])
      yield* declined("Who goes down this season?")
      assert.strictEqual((yield* shownWhen(key, id, ({ held_count }) => held_count === 2)).status, "disabled")
      yield* receivers.answer(() => Effect.succeed({ status: 200 }))
      assert.deepInclude((yield* patchWebhook(key, id, { status: "paused" })).body.data, {
        ...sound,
        status: "paused",
        held_count: 2
      })
      yield* patchWebhook(key, id, { status: "active" })
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(
        yield* shownWhen(key, id, ({ last_delivery_at, held_count }) => last_delivery_at !== null && held_count === 0),
        sound
      )
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "while the circuit breaker is open, the webhook shows the next probe and the held deliveries; a success closes the circuit breaker",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(() =>
        Effect.fail(new NoWebhookResponse({ failure: "refused", reason: "Nobody listens." }))
      )
      const { declined, key } = yield* seedDecliningPartner
      const { id } = yield* registerWebhook(key, ["commentary.failed"])
      for (const nth of [1, 2, 3]) yield* declined(`Who is number ${nth} this season?`)
      const shown = yield* shownWhen(key, id, ({ circuit }) => (circuit as typeof sound.circuit).state === "open")
      assert.deepInclude(shown, {
        status: "active",
        disabled_at: null,
        circuit: { state: "open", open_until: "2026-03-01T09:01:00.000Z" },
        held_count: 3
      })
      yield* receivers.answer(() => Effect.succeed({ status: 200 }))
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* shownWhen(key, id, ({ held_count }) => held_count === 0), { circuit: sound.circuit })
    }).pipe(Effect.provide(InMemory.layer))
)

const sources = ["203.0.113.7", "2001:db8::/32"]

it.effect("the addresses from which the service sends webhooks are public if the operator configures them", () =>
  Effect.gen(function* () {
    const answer = yield* (yield* TestApi).call("/.well-known/webhook-sources")
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
    assert.deepStrictEqual(yield* readJson(answer), { success: true, data: { addresses: sources } })
  }).pipe(Effect.provide(InMemory.layerWith({ policy: { webhooks: { ...defaults, sources } } })))
)

it.effect("/.well-known/webhook-sources returns 404 if the operator configures no sender addresses", () =>
  Effect.gen(function* () {
    const answer = yield* (yield* TestApi).call("/.well-known/webhook-sources")
    assert.deepStrictEqual([answer.status, (yield* readJson(answer)).error.code], [404, "not_found"])
  }).pipe(Effect.provide(InMemory.layer))
)
