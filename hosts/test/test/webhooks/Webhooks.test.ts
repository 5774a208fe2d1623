/** Tests webhooks as a partner's engineer uses them: the responses, the maximum number, and who may see a webhook. */

import { assert, it } from "@effect/vitest"
import { WebhookId } from "@partner-commentary/core/shared/Ids"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import {
  createWebhook,
  exampleWebhookEvents,
  exampleWebhookUrl,
  getWebhook,
  patchWebhook,
  readReportedProblems,
  removeWebhook,
  seedApiKey,
  unknownId
} from "../support/WebhookCalls.ts"

const start = 1_800_000_000_000

it.effect("a webhook can be registered, listed, read, changed and removed, and its secret is shown once", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const key = yield* seedApiKey
    const registered = yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })
    assert.strictEqual(registered.status, 201)
    const { secret, ...webhook } = registered.body.data
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepStrictEqual(webhook, {
      id: webhook.id,
      url: exampleWebhookUrl,
      events: exampleWebhookEvents,
      status: "active",
      consecutive_failures: 0,
      last_delivery_at: null,
      created_at: "2027-01-15T08:00:00.000Z",
      updated_at: "2027-01-15T08:00:00.000Z",
      disabled_reason: null,
      disabled_at: null,
      circuit: { state: "closed", open_until: null },
      held_count: 0
    })
    assert.strictEqual(registered.headers.get("location"), `/partner/v1/webhooks/${webhook.id}`)
    assert.deepStrictEqual((yield* getWebhook(key, `/${webhook.id.toUpperCase()}`)).body, {
      success: true,
      data: webhook
    })

    yield* TestClock.adjust("1 minute")
    const second = yield* createWebhook(key, {
      url: exampleWebhookUrl,
      events: ["partner.approved"],
      secret: "x".repeat(32)
    })
    assert.strictEqual(second.body.data.secret, "x".repeat(32))
    const { secret: _, ...other } = second.body.data
    assert.deepStrictEqual((yield* getWebhook(key)).body, { success: true, data: [other, webhook] })

    const changes = { url: "https://other.example:8443/in?tenant=7", events: ["commentary.failed"], status: "paused" }
    const changed = yield* patchWebhook(key, webhook.id, changes)
    assert.strictEqual(changed.status, 200)
    assert.deepStrictEqual(changed.body.data, { ...webhook, ...changes, updated_at: "2027-01-15T08:01:00.000Z" })
    assert.deepStrictEqual((yield* getWebhook(key, `/${webhook.id}`)).body.data, changed.body.data)

    assert.deepStrictEqual((yield* removeWebhook(key, webhook.id)).body, {
      success: true,
      data: { id: webhook.id, deleted: true }
    })
    for (const gone of [
      yield* removeWebhook(key, webhook.id),
      yield* getWebhook(key, `/${webhook.id}`),
      yield* patchWebhook(key, webhook.id, {})
    ]) {
      assert.deepStrictEqual([gone.status, gone.body.error.code], [404, "not_found"])
    }
    assert.deepStrictEqual((yield* getWebhook(key)).body.data, [other])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an update of a webhook that changes no value keeps updated_at, even if the update is empty", () =>
  Effect.gen(function* () {
    const key = yield* seedApiKey
    const { secret: _, ...webhook } = (yield* createWebhook(key, {
      url: exampleWebhookUrl,
      events: exampleWebhookEvents
    })).body.data
    yield* TestClock.adjust("1 hour")
    for (const body of [
      {},
      { url: exampleWebhookUrl, events: exampleWebhookEvents, status: "active" },
      { unknown: "field", consecutive_failures: 7 }
    ]) {
      assert.deepStrictEqual((yield* patchWebhook(key, webhook.id, body)).body.data, webhook)
    }
    const paused = yield* patchWebhook(key, webhook.id, { status: "paused" })
    assert.deepStrictEqual(paused.body.data, { ...webhook, status: "paused", updated_at: "1970-01-01T01:00:00.000Z" })
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a disabled webhook can be paused, and activating the webhook resets its failures", () =>
  Effect.gen(function* () {
    const key = yield* seedApiKey
    const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
    yield* (yield* WebhookStore).modify(null, WebhookId.make(id), (present) => ({
      webhook: { ...present, status: "disabled", consecutiveFailures: 23, lastDeliveryAt: start },
      audit: { action: "webhook.disabled", details: {} },
      notice: null
    }))
    const shown = (yield* getWebhook(key, `/${id}`)).body.data
    assert.deepInclude(shown, {
      status: "disabled",
      consecutive_failures: 23,
      last_delivery_at: "2027-01-15T08:00:00.000Z"
    })
    const paused = yield* patchWebhook(key, id, { status: "paused" })
    assert.deepInclude(paused.body.data, { status: "paused", consecutive_failures: 23 })
    const active = yield* patchWebhook(key, id, { status: "active" })
    assert.deepInclude(active.body.data, { status: "active", consecutive_failures: 0 })
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("concurrent updates of different webhook fields are all stored", () =>
  Effect.gen(function* () {
    const key = yield* seedApiKey
    const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
    const moved = "https://moved.example/"
    yield* Effect.all(
      [
        patchWebhook(key, id, { url: moved }),
        patchWebhook(key, id, { events: ["partner.approved"] }),
        patchWebhook(key, id, { status: "paused" })
      ],
      { concurrency: "unbounded" }
    )
    const { data } = (yield* getWebhook(key, `/${id}`)).body
    assert.deepInclude(data, { url: moved, events: ["partner.approved"], status: "paused" })
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "of 30 concurrent registrations exactly 20 succeed in each environment, and removing a webhook allows another registration",
  () =>
    Effect.gen(function* () {
      const owner = yield* Seed.createOrganization()
      for (const environment of ["live", "test"] as const) {
        const { text: key } = yield* Seed.issueApiKey(owner, { environment })
        const answers = yield* Effect.forEach(
          Array.from({ length: 30 }),
          (_, index) => createWebhook(key, { url: `${exampleWebhookUrl}/${index}`, events: exampleWebhookEvents }),
          { concurrency: "unbounded" }
        )
        const [passed, refused] = [
          answers.filter(({ status }) => status === 201),
          answers.filter(({ status }) => status !== 201)
        ]
        assert.deepStrictEqual([passed.length, refused.length], [20, 10])
        for (const answer of refused) {
          const constraint = "must not register more than 20 webhooks in one environment: delete one first"
          assert.deepStrictEqual(readReportedProblems(answer), [{ field: "body", constraint }])
        }
        assert.strictEqual((yield* getWebhook(key)).body.data.length, 20)
        yield* removeWebhook(key, passed[0]?.body.data.id)
        assert.strictEqual(
          (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).status,
          201
        )
        assert.strictEqual(
          (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).status,
          400
        )
      }
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "requests for another organization's or environment's webhooks get the same 404 as for unknown webhooks, byte for byte",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const theirs = yield* Seed.createOrganization({ name: "Theirs" })
      const { text: live } = yield* Seed.issueApiKey(theirs)
      const { data } = (yield* createWebhook(live, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body
      const bytes = (key: string, id: string, init: TestApiCall) =>
        Effect.gen(function* () {
          const response = yield* call(`/partner/v1/webhooks/${id}`, {
            ...init,
            key,
            headers: { "x-request-id": "same" }
          })
          // The values of the rate-limit headers differ between responses, because each call counts toward the rate
          // limit.
          const headers = [...response.headers].filter(
            ([name]) => !["ratelimit", "x-ratelimit-remaining"].includes(name)
          )
          return JSON.stringify([response.status, headers, yield* Effect.promise(() => response.text())])
        })
      const strangers = [yield* seedApiKey, (yield* Seed.issueApiKey(theirs, { environment: "test" })).text]
      for (const key of strangers) {
        for (const init of [
          {},
          { method: "PATCH", body: { url: "https://elsewhere.example/" } },
          { method: "DELETE" }
        ] satisfies ReadonlyArray<TestApiCall>) {
          const other = yield* bytes(key, data.id, init)
          assert.strictEqual(other, yield* bytes(key, unknownId, init))
          assert.strictEqual(other, yield* bytes(key, "not-an-id", init))
          assert.include(other, "not_found")
        }
        assert.deepStrictEqual((yield* getWebhook(key)).body.data, [])
      }
      assert.strictEqual((yield* getWebhook(live, `/${data.id}`)).body.data.url, exampleWebhookUrl)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the contact gets mails about live webhooks, and no mails about webhooks of the test environment", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const owner = yield* Seed.createOrganization()
    for (const [environment, kinds] of [
      ["test", []],
      ["live", ["webhook_added", "webhook_moved"]]
    ] as const) {
      const { text: key } = yield* Seed.issueApiKey(owner, { environment })
      const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
      if (kinds.length > 0) {
        yield* eventually(
          "the first mail",
          Effect.map(sql`SELECT id FROM mails WHERE state = 'sent'`, ({ length }) => length === 1)
        )
      }
      assert.strictEqual((yield* patchWebhook(key, id, { url: "https://moved.example/" })).status, 200)
      const mails = yield* sql<{ readonly kind: string }>`SELECT kind FROM mails ORDER BY kind`
      assert.deepStrictEqual(
        mails.map(({ kind }) => kind),
        [...kinds]
      )
    }
  }).pipe(Effect.provide(InMemory.layer))
)
