/**
 * Tests the recovery of failed deliveries. A dry run counts the deliveries. A recovery is a stored job that resends the
 * deliveries oldest first, at a limited rate.
 */
import { assert, it } from "@effect/vitest"
import { defaults } from "@partner-commentary/core/shared/WebhookPolicy"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Seed from "@partner-commentary/test/Seed"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
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
import {
  getWebhook,
  patchWebhook,
  readReportedProblems,
  requestDeliveryRecovery,
  unknownId
} from "../support/WebhookCalls.ts"

const since = "2026-03-01T00:00:00Z"

/** The policy allows one attempt and has no circuit breaker, so the first failure is final. */
const hasty = InMemory.layerWith({
  policy: { lease: Duration.days(1), webhooks: { ...defaults, retries: [], breakerFailures: 1000, warnFailures: 1000 } }
})

/** Creates a webhook with `count` failed deliveries, a minute apart. */
const failed = (count: number) =>
  Effect.gen(function* () {
    const receivers = yield* InMemoryWebhookReceivers
    yield* receivers.answer(() => Effect.succeed({ status: 500 }))
    const { declined, key, owner } = yield* seedDecliningPartner
    const hook = yield* registerWebhook(key, ["commentary.failed"])
    for (let nth = 1; nth <= count; nth++) {
      yield* declined(`Who is number ${nth} this season?`)
      yield* hook.failures(nth)
      yield* TestClock.adjust("1 minute")
    }
    const { list } = makeDeliveriesApiReader(key, hook.id)
    const stands = (status: string) => Effect.map(list(`?limit=100&status=${status}`), ({ length }) => length)
    const settled = (status: string, wanted: number) =>
      eventually(
        `${wanted} ${status}`,
        Effect.map(stands(status), (found) => found === wanted)
      )
    return { answer: receivers.answer, declined, hook, key, owner, settled, stands }
  })

it.effect("a dry run counts deliveries without sending; a recovery sends each failed or held delivery once", () =>
  Effect.gen(function* () {
    const { answer, declined, hook, key, settled, stands } = yield* failed(3)
    yield* answer(() => Effect.succeed({ status: 410 }))
    yield* declined("Who is disabled by this?")
    yield* hook.failures(4)
    yield* declined("And who is held?")
    assert.strictEqual((yield* getWebhook(key, `/${hook.id}`)).body.data.status, "disabled")
    const figures = { failed: 4, held: 1, count: 5 }
    const dry = yield* requestDeliveryRecovery(key, hook.id, { since, dry_run: true })
    assert.strictEqual(dry.status, 200)
    assert.deepInclude(dry.body.data, { since: "2026-03-01T00:00:00.000Z", dry_run: true, ...figures })
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* stands("failed"), 4)

    yield* answer(() => Effect.succeed({ status: 200 }))
    yield* patchWebhook(key, hook.id, { status: "active" })
    yield* settled("delivered", 1)
    const before = (yield* readSentEvents).length
    const real = yield* requestDeliveryRecovery(key, hook.id, { since })
    assert.deepInclude(real.body.data, { dry_run: false, failed: 4, held: 0, count: 4 })
    yield* TestClock.adjust("1 second")
    yield* settled("delivered", 5)
    // Deliveries start oldest first and run up to five at a time, so they can arrive in another order.
    const sent = (yield* readSentEvents).slice(before).map(({ event }) => event.timestamp)
    assert.strictEqual(sent.length, 4)
    assert.strictEqual(new Set(sent).size, 4)
    assert.deepInclude((yield* requestDeliveryRecovery(key, hook.id, { since })).body.data, { count: 0 })
    yield* TestClock.adjust("1 day")
    assert.strictEqual((yield* readSentEvents).length, before + 4)
  }).pipe(Effect.provide(hasty))
)

it.effect("a recovery sends only events of its period: from `since`, and before `until`", () =>
  Effect.gen(function* () {
    const { answer, hook, key, settled } = yield* failed(4)
    const { list } = makeDeliveriesApiReader(key, hook.id)
    const [, third, second] = (yield* list()).map(({ created_at }: { readonly created_at: string }) => created_at)
    yield* answer(() => Effect.succeed({ status: 200 }))
    // A bound may be finer than the stored milliseconds.
    const justAfter = (iso: string) => iso.replace("Z", "001Z")
    for (const [bounds, count] of [
      [{ since: justAfter(second), until: third }, 0],
      [{ since: second, until: justAfter(third) }, 2]
    ] as const) {
      const counted = yield* requestDeliveryRecovery(key, hook.id, { ...bounds, dry_run: true })
      assert.deepInclude(counted.body.data, { count })
    }
    const span = { since: second, until: third }
    assert.deepInclude((yield* requestDeliveryRecovery(key, hook.id, span)).body.data, { ...span, count: 1 })
    yield* settled("delivered", 1)
    const [delivered] = yield* list("?status=delivered")
    assert.strictEqual(delivered.created_at, second)
    yield* settled("failed", 3)
  }).pipe(Effect.provide(hasty))
)

it.effect(
  "a recovery of a paused webhook is held with the webhook's other events, and is sent when the webhook is active again",
  () =>
    Effect.gen(function* () {
      const { answer, declined, hook, key, settled } = yield* failed(2)
      yield* patchWebhook(key, hook.id, { status: "paused" })
      yield* declined("Who is held?")
      yield* answer(() => Effect.succeed({ status: 200 }))
      assert.deepInclude((yield* requestDeliveryRecovery(key, hook.id, { since })).body.data, {
        failed: 2,
        held: 1,
        count: 3
      })
      yield* settled("held", 3)
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* readSentEvents).length, 2)
      yield* patchWebhook(key, hook.id, { status: "active" })
      yield* settled("delivered", 3)
    }).pipe(Effect.provide(hasty))
)

it.effect("a recovery is sent at a limited rate: 10 deliveries in the first second and 20 in the next", () =>
  Effect.gen(function* () {
    const { answer, hook, key, settled } = yield* failed(35)
    yield* answer(() => Effect.succeed({ status: 200 }))
    yield* requestDeliveryRecovery(key, hook.id, { since })
    yield* settled("delivered", 10)
    yield* TestClock.adjust("999 millis")
    yield* settled("delivered", 10)
    yield* TestClock.adjust("1 millis")
    yield* settled("delivered", 30)
    yield* TestClock.adjust("1 second")
    yield* settled("delivered", 35)
    const sent = (yield* readSentEvents).slice(35).map(({ event }) => event.id)
    assert.strictEqual(sent.length, 35)
    // At most five deliveries run concurrently, so an event can overtake at most four others.
    for (const [index, id] of sent.entries()) assert.isBelow(sent.slice(index).filter((later) => later < id).length, 5)
  }).pipe(Effect.provide(hasty))
)

it.effect(
  "a recovered delivery gets a full retry schedule, and a delivery that is still being retried keeps its schedule",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(() => Effect.succeed({ status: 500 }))
      const { declined, key } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      const { list } = makeDeliveriesApiReader(key, hook.id)
      yield* declined("Who goes down this season?")
      yield* hook.failures(1)
      assert.deepInclude((yield* requestDeliveryRecovery(key, hook.id, { since })).body.data, { count: 0 })
      for (let count = 2; count <= 10; count++) {
        yield* advanceToNextAttempt(list)
        yield* hook.failures(count)
      }
      assert.deepInclude((yield* requestDeliveryRecovery(key, hook.id, { since })).body.data, { failed: 1, held: 0 })
      yield* hook.failures(11)
      for (let count = 12; count <= 20; count++) {
        yield* advanceToNextAttempt(list)
        yield* hook.failures(count)
      }
      assert.deepInclude((yield* list())[0], { status: "failed", attempt_count: 20 })
    }).pipe(Effect.provide(InMemory.layerWith({ policy: { lease: Duration.days(1) } })))
)

it.effect(
  "the audit log names the key of each retry and recovery, and has no entry for a dry run or a repeated request",
  () =>
    Effect.gen(function* () {
      const { hook, key } = yield* failed(1)
      const keyed = requestDeliveryRecovery(key, hook.id, { since }, { headers: { "idempotency-key": "once" } })
      yield* requestDeliveryRecovery(key, hook.id, { since, dry_run: true })
      yield* keyed
      yield* hook.failures(2)
      assert.strictEqual((yield* keyed).headers.get("idempotency-replayed"), "true")
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly subject: string; readonly details: string }>`SELECT subject, details
      FROM audit_log WHERE action = 'webhook.recovered'`
      const [row] = rows
      assert.deepStrictEqual([rows.length, row?.subject], [1, hook.id])
      assert.deepInclude(JSON.parse(row?.details ?? ""), { since: "2026-03-01T00:00:00.000Z", failed: 1, held: 0 })
      const jobs = yield* sql<{ readonly done_at: string | null }>`SELECT done_at FROM redeliveries`
      assert.deepStrictEqual([jobs.length, jobs[0]?.done_at === null], [1, false])
    }).pipe(Effect.provide(hasty))
)

it.effect(
  "the response to an invalid recovery request reports all its problems, and another owner's webhook gets 404",
  () =>
    Effect.gen(function* () {
      const { declined, key, owner } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      yield* declined("Who goes down this season?")
      yield* waitForEvents(1)
      const wrong = (body: unknown) =>
        Effect.map(requestDeliveryRecovery(key, hook.id, body), (answer) => readReportedProblems(answer))
      const fields = (body: unknown) => Effect.map(wrong(body), (all) => all.map(({ field }) => field))
      assert.deepStrictEqual(yield* fields({}), ["since"])
      assert.deepStrictEqual(yield* fields({ since: "yesterday", until: 1, dry_run: "no" }), [
        "since",
        "until",
        "dry_run"
      ])
      assert.deepStrictEqual(yield* fields({ since: "2026-02-30T00:00:00Z" }), ["since"])
      const [early] = yield* wrong({ since: "2026-01-30T08:59:59Z" })
      assert.match(early?.constraint ?? "", /last 30 days/)
      for (const span of [
        { since: "2026-03-01T10:00:00Z" },
        { since: "2026-03-01T08:00:00Z", until: "2026-03-01T08:00:00Z" }
      ]) {
        const [backwards] = yield* wrong(span)
        assert.match(backwards?.constraint ?? "", /before until/)
      }
      assert.strictEqual((yield* requestDeliveryRecovery(key, hook.id, { since: "2026-01-30T09:00:00Z" })).status, 200)
      const nothing = yield* getWebhook(key, `/${unknownId}`)
      for (const [by, id] of [
        [(yield* Seed.issueApiKey(yield* Seed.createOrganization({ name: "Other" }))).text, hook.id],
        [(yield* Seed.issueApiKey(owner, { environment: "test" })).text, hook.id],
        [key, unknownId],
        [key, "x"]
      ] as const) {
        const { body, status } = yield* requestDeliveryRecovery(by, id, { since })
        assert.deepStrictEqual([status, body], [404, nothing.body])
      }
      const { text } = yield* Seed.issueApiKey(owner, { scopes: ["topics:read"] })
      assert.strictEqual((yield* requestDeliveryRecovery(text, hook.id, { since })).body.error.code, "scope_denied")
    }).pipe(Effect.provide(InMemory.layer))
)
