/**
 * Tests manual retries of one delivery, outside of its schedule and in any state. Several retry requests cause one
 * attempt.
 */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Seed from "@partner-commentary/test/Seed"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  advanceToNextAttempt,
  makeDeliveriesApiReader,
  readSentEvents,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"
import { getWebhook, patchWebhook, retryDelivery, unknownId } from "../support/WebhookCalls.ts"

/**
 * The lease is long, because an attempt counts as lost when the test moves the clock past the end of the attempt's
 * lease.
 */
const patient = InMemory.layerWith({ policy: { lease: Duration.days(1) } })

/**
 * Creates a webhook with one delivery and `attempts` failed attempts. Returns the delivery's id and functions that read
 * the delivery.
 */
const failing = (attempts: number) =>
  Effect.gen(function* () {
    const receivers = yield* InMemoryWebhookReceivers
    yield* receivers.answer(() => Effect.succeed({ status: 500 }))
    const { declined, key, owner } = yield* seedDecliningPartner
    const hook = yield* registerWebhook(key, ["commentary.failed"])
    const { list, one } = makeDeliveriesApiReader(key, hook.id)
    yield* declined("Who goes down this season?")
    yield* hook.failures(1)
    for (let count = 2; count <= attempts; count++) {
      yield* advanceToNextAttempt(list)
      yield* hook.failures(count)
    }
    const [{ id }] = yield* list()
    const look = one(id)
    const tried = (count: number) =>
      eventually(
        `${count} attempts`,
        Effect.map(look, (seen) =>
          seen.attempt_count === count && seen.next_attempt_at !== seen.created_at ? seen : undefined
        )
      )
    return { answer: receivers.answer, hook, id, key, look, owner, tried, again: retryDelivery(key, hook.id, id) }
  })

it.effect("a manual retry that succeeds ends the delivery and cancels the automatic retries", () =>
  Effect.gen(function* () {
    const { again, answer, tried } = yield* failing(2)
    yield* answer(() => Effect.succeed({ status: 204 }))
    const asked = yield* again
    assert.strictEqual(asked.status, 200)
    assert.deepInclude(asked.body.data, { status: "pending", attempt_count: 2, settled_at: null })
    const { attempts, ...rest } = yield* tried(3)
    assert.deepInclude(rest, { status: "delivered", next_attempt_at: null })
    assert.deepInclude(attempts[2], { kind: "manual", response_code: 204, error_class: null })
    yield* TestClock.adjust("10 days")
    assert.strictEqual((yield* readSentEvents).length, 3)
  }).pipe(Effect.provide(patient))
)

it.effect(
  "a failed manual retry changes neither the time of the next attempt nor the number of remaining attempts",
  () =>
    Effect.gen(function* () {
      const { again, hook, look, tried } = yield* failing(1)
      const { next_attempt_at } = yield* look
      yield* again
      yield* hook.failures(2)
      assert.deepInclude(yield* tried(2), { status: "pending", next_attempt_at })
      yield* TestClock.setTime(Date.parse(next_attempt_at))
      yield* hook.failures(3)
      const third = yield* tried(3)
      assert.deepStrictEqual(
        third.attempts.map(({ kind }: { readonly kind: string }) => kind),
        ["scheduled", "manual", "scheduled"]
      )
      const wait = Date.parse(third.next_attempt_at) - Date.parse(third.attempts[2].at)
      assert.isTrue(wait >= 300_000 && wait <= 331_000, `${wait}: the second delay, five minutes`)
    }).pipe(Effect.provide(patient))
)

it.effect(
  "a failed or successful delivery can be sent again, and the status stays `delivered` if the new attempt fails",
  () =>
    Effect.gen(function* () {
      const { again, answer, look, tried } = yield* failing(10)
      assert.deepInclude(yield* look, { status: "failed", next_attempt_at: null, attempt_count: 10 })
      yield* again
      assert.deepInclude(yield* tried(11), { status: "failed", next_attempt_at: null })
      yield* answer(() => Effect.succeed({ status: 200 }))
      yield* again
      const { settled_at } = yield* tried(12)
      assert.isNotNull(settled_at)
      assert.strictEqual((yield* look).status, "delivered")
      yield* TestClock.adjust("1 hour")
      yield* again
      assert.deepInclude(yield* tried(13), { status: "delivered", settled_at })
      yield* answer(() => Effect.succeed({ status: 500 }))
      yield* again
      const after = yield* tried(14)
      assert.deepInclude(after, { status: "delivered", next_attempt_at: null, settled_at })
      assert.deepInclude(after.attempts.at(-1), { kind: "manual", response_code: 500 })
      yield* TestClock.adjust("10 days")
      assert.strictEqual((yield* readSentEvents).length, 14)
      assert.strictEqual(new Set((yield* readSentEvents).map(({ event }) => event.id)).size, 1)
    }).pipe(Effect.provide(patient))
)

it.effect("a retry for a paused webhook is held, and is sent when the webhook is active again", () =>
  Effect.gen(function* () {
    const { again, answer, hook, key, tried } = yield* failing(10)
    yield* patchWebhook(key, hook.id, { status: "paused" })
    yield* answer(() => Effect.succeed({ status: 200 }))
    assert.deepInclude((yield* again).body.data, { status: "held", next_attempt_at: null })
    yield* TestClock.adjust("1 hour")
    assert.strictEqual((yield* readSentEvents).length, 10)
    yield* patchWebhook(key, hook.id, { status: "active" })
    assert.strictEqual((yield* tried(11)).status, "delivered")
  }).pipe(Effect.provide(patient))
)

it.effect("ten concurrent retries cause one attempt, and retries during an attempt cause no further attempt", () =>
  Effect.gen(function* () {
    const { again, answer, tried } = yield* failing(1)
    const latch = yield* Latch.make()
    yield* answer(() => Effect.as(latch.await, { status: 200 }))
    const all = yield* Effect.all(
      Array.from({ length: 10 }, () => again),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(new Set(all.map(({ status }) => status)), new Set([200]))
    yield* waitForEvents(2)
    assert.deepInclude((yield* again).body.data, { status: "pending", next_attempt_at: null, attempt_count: 1 })
    yield* latch.open
    yield* tried(2)
    yield* TestClock.adjust("1 day")
    assert.strictEqual((yield* readSentEvents).length, 2)
  }).pipe(Effect.provide(patient))
)

it.effect(
  "a retry request that is repeated with its idempotency key gets the first response and causes no attempt",
  () =>
    Effect.gen(function* () {
      const { answer, hook, id, key, tried } = yield* failing(10)
      yield* answer(() => Effect.succeed({ status: 200 }))
      const keyed = retryDelivery(key, hook.id, id, { headers: { "idempotency-key": "once" } })
      const first = yield* keyed
      yield* tried(11)
      const second = yield* keyed
      assert.deepStrictEqual(second.body, first.body)
      assert.strictEqual(second.headers.get("idempotency-replayed"), "true")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* readSentEvents).length, 11)
    }).pipe(Effect.provide(patient))
)

it.effect("a retry gets the same refusal for another owner's delivery and for an unknown delivery", () =>
  Effect.gen(function* () {
    const { again, hook, id, key, look, owner } = yield* failing(1)
    const before = yield* look
    const nothing = yield* getWebhook(key, `/${unknownId}`)
    for (const [by, at, which] of [
      [(yield* Seed.issueApiKey(yield* Seed.createOrganization({ name: "Other" }))).text, hook.id, id],
      [(yield* Seed.issueApiKey(owner, { environment: "test" })).text, hook.id, id],
      [key, unknownId, id],
      [key, "x", id]
    ] as const) {
      const { body, status } = yield* retryDelivery(by, at, which)
      assert.deepStrictEqual([status, body], [404, nothing.body])
    }
    for (const which of [unknownId, "x", `evt_${id}`]) {
      const { body, status } = yield* retryDelivery(key, hook.id, which)
      assert.deepStrictEqual([status, body.error.message], [404, "Delivery not found."])
    }
    const { text } = yield* Seed.issueApiKey(owner, { scopes: ["topics:read"] })
    assert.strictEqual((yield* retryDelivery(text, hook.id, id)).body.error.code, "scope_denied")
    assert.deepStrictEqual(yield* look, before)
    yield* TestClock.setTime(Date.parse(before.created_at) + 30 * 86_400_000 + 1)
    assert.strictEqual((yield* again).status, 404)
  }).pipe(Effect.provide(patient))
)

it.effect(
  "the audit log names the API key and the event of a waiting retry once, and repeated requests add no entry",
  () =>
    Effect.gen(function* () {
      const { again, answer, hook, id, owner } = yield* failing(1)
      const latch = yield* Latch.make()
      yield* answer(() => Effect.as(latch.await, { status: 200 }))
      yield* again
      yield* waitForEvents(2)
      yield* again
      yield* latch.open
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<Record<string, string>>`SELECT * FROM audit_log WHERE action = 'webhook.delivery_retried'`
      assert.deepStrictEqual(
        rows.map((row) => [row["subject"], row["organization_id"]]),
        [[hook.id, owner.id]]
      )
      const { by, event } = JSON.parse(rows[0]?.["details"] ?? "{}")
      const [key] = yield* sql<{ readonly id: string }>`SELECT id FROM api_keys WHERE organization_id = ${owner.id}`
      assert.deepStrictEqual([by, event], [key?.id, id])
    }).pipe(Effect.provide(patient))
)
