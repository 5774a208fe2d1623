/**
 * Tests the endpoint that sends a test event to a webhook. The service immediately sends one signed event, returns the
 * result in the response, and stores nothing.
 */
import { assert, it } from "@effect/vitest"
import { verifyWebhook } from "@partner-commentary/client"
import { WebhookId } from "@partner-commentary/core/shared/Ids"
import { NoWebhookResponse } from "@partner-commentary/core/webhook/WebhookTransport"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { expectConcurrencyLimitOfTwo, SlowOperationLatch } from "../support/ConcurrencyLimit.ts"
import {
  createWebhook,
  exampleWebhookEvents,
  exampleWebhookUrl,
  getWebhook,
  patchWebhook,
  requestWebhookTest,
  seedApiKey,
  unknownId
} from "../support/WebhookCalls.ts"

it.effect("a test event arrives signed with the webhook's secret, and the response has no envelope", () =>
  Effect.gen(function* () {
    const { sent } = yield* InMemoryWebhookReceivers
    yield* TestClock.setTime(Date.now())
    const key = yield* seedApiKey
    for (const secret of [undefined, "a secret of the partner's own, in plain text"]) {
      const registered = yield* createWebhook(key, {
        url: exampleWebhookUrl,
        events: exampleWebhookEvents,
        ...(secret === undefined ? {} : { secret })
      })
      const answer = yield* requestWebhookTest(key, registered.body.data.id)
      const { test_event_id: id } = answer.body
      assert.match(id, /^evt_test_[0-9a-f-]{36}$/)
      assert.deepStrictEqual(
        [answer.status, answer.body],
        [200, { success: true, test_event_id: id, delivery_status: "delivered", response_code: 200, error: null }]
      )
      const request = (yield* sent).at(-1)
      if (request === undefined) return assert.fail("nothing was sent")
      assert.strictEqual(request.url, exampleWebhookUrl)
      const event = yield* Effect.promise(() =>
        verifyWebhook(request.body, request.headers, registered.body.data.secret)
      )
      assert.deepInclude(event, { id, type: "webhook.test", sequence: 1 })
      assert.strictEqual(request.headers["webhook-id"], id)
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "the response to a failed webhook test contains the reason, and the receiver's status if the receiver responded",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      const key = yield* seedApiKey
      const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
      for (const status of [199, 301, 404, 410, 429, 500]) {
        yield* receivers.answer(() => Effect.succeed({ status }))
        const { body, status: own } = yield* requestWebhookTest(key, id)
        assert.strictEqual(own, 200)
        assert.deepInclude(body, { success: false, delivery_status: "failed", response_code: status })
        assert.strictEqual(body.error, `The receiver answered with status ${status}, which is not a success.`)
      }
      yield* receivers.answer(() => Effect.fail(new NoWebhookResponse({ failure: "dns", reason: "No such host." })))
      assert.deepInclude((yield* requestWebhookTest(key, id)).body, {
        success: false,
        response_code: null,
        error: "No such host."
      })
      yield* receivers.answer(() => Effect.die("the adapter broke"))
      assert.deepInclude((yield* requestWebhookTest(key, id)).body, { success: false, response_code: null })
      yield* receivers.answer(() => Effect.succeed({ status: 204 }))
      assert.deepInclude((yield* requestWebhookTest(key, id)).body, { success: true, response_code: 204, error: null })
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a test event is sent to a paused or disabled webhook, and does not change the webhook", () =>
  Effect.gen(function* () {
    const receivers = yield* InMemoryWebhookReceivers
    const sql = yield* SqlClient.SqlClient
    const key = yield* seedApiKey
    const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
    yield* receivers.answer(() => Effect.succeed({ status: 500 }))
    for (const status of ["active", "paused", "disabled"]) {
      if (status === "paused") yield* patchWebhook(key, id, { status })
      if (status === "disabled") yield* sql`UPDATE webhooks SET status = 'disabled' WHERE id = ${WebhookId.make(id)}`
      const before = (yield* getWebhook(key, `/${id}`)).body.data
      assert.strictEqual(before.status, status)
      yield* requestWebhookTest(key, id)
      assert.deepStrictEqual((yield* getWebhook(key, `/${id}`)).body.data, before)
    }
    assert.strictEqual((yield* receivers.sent).length, 3)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("each call sends one test event; an Idempotency-Key header or a body is ignored", () =>
  Effect.gen(function* () {
    const { sent } = yield* InMemoryWebhookReceivers
    const key = yield* seedApiKey
    const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
    const headers = { "idempotency-key": "once" }
    const first = yield* requestWebhookTest(key, id, { headers })
    const second = yield* requestWebhookTest(key, id, { headers, body: { ignored: true } })
    assert.notStrictEqual(first.body.test_event_id, second.body.test_event_id)
    assert.isNull(second.headers.get("idempotency-replayed"))
    assert.strictEqual((yield* sent).length, 2)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "no test event is sent for an unknown webhook, for another organization's webhook, or without the scope",
  () =>
    Effect.gen(function* () {
      const { sent } = yield* InMemoryWebhookReceivers
      const owner = yield* Seed.createOrganization()
      const { text: key } = yield* Seed.issueApiKey(owner)
      const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
      const reader = yield* Seed.issueApiKey(owner, { scopes: ["topics:read"] })
      assert.strictEqual((yield* requestWebhookTest(reader.text, id)).body.error.code, "scope_denied")
      const tester = yield* Seed.issueApiKey(owner, { environment: "test" })
      for (const [by, what] of [
        [key, unknownId],
        [key, "not-an-id"],
        [yield* seedApiKey, id],
        [tester.text, id]
      ] as const) {
        const { body, status } = yield* requestWebhookTest(by, what)
        assert.deepStrictEqual([status, body.error.code], [404, "not_found"])
      }
      assert.deepStrictEqual(yield* sent, [])
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "an organization can run two webhook tests at a time; further tests wait for ten seconds and then get 429 with Retry-After",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const { pass } = yield* SlowOperationLatch
      yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.as(pass, { status: 200 }))
      const asked = Effect.gen(function* () {
        const key = yield* seedApiKey
        const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
        return call(`/partner/v1/webhooks/${id}/test`, { method: "POST", key })
      })
      yield* expectConcurrencyLimitOfTwo({ ask: yield* asked, another: yield* asked, answers: [200, 200] })
    }).pipe(Effect.provide(Layer.merge(InMemory.layer, SlowOperationLatch.layer)))
)
