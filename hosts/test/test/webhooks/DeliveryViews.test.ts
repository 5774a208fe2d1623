/**
 * Tests partners' view of their deliveries: the state, the attempts, the responses and the pages. Partners see only
 * their own deliveries.
 */
import { assert, it } from "@effect/vitest"
import { NoWebhookResponse } from "@partner-commentary/core/webhook/WebhookTransport"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  makeDeliveriesApiReader,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../support/DeliveryCalls.ts"
import { getWebhook, patchWebhook, readReportedProblems, removeWebhook, unknownId } from "../support/WebhookCalls.ts"

it.effect("a delivery shows its attempts with their statuses, durations and errors, and the next attempt", () =>
  Effect.gen(function* () {
    const receivers = yield* InMemoryWebhookReceivers
    yield* receivers.answer(() =>
      Effect.andThen(Effect.sleep("87 millis"), Effect.succeed({ status: 503, excerpt: "upstream" }))
    )
    const { declined, key } = yield* seedDecliningPartner
    const hook = yield* registerWebhook(key, ["commentary.failed"])
    const { list, one } = makeDeliveriesApiReader(key, hook.id)
    yield* declined("Who goes down this season?")
    yield* waitForEvents(1)
    const [begun] = yield* list()
    assert.deepInclude(begun, { status: "pending", next_attempt_at: null, attempt_count: 0, attempts: [] })
    yield* TestClock.adjust("1 second")
    yield* hook.failures(1)
    const [{ attempts, next_attempt_at, ...rest }] = yield* list()
    const [event] = (yield* waitForEvents(1)).map((each) => each.event)
    assert.deepStrictEqual(rest, {
      id: event.id.slice(4),
      webhook_id: hook.id,
      event_id: event.id,
      type: "commentary.failed",
      topic_id: event.data.topic_id,
      share_id: event.data.share_id,
      status: "pending",
      created_at: event.timestamp,
      settled_at: null,
      attempt_count: 1
    })
    const first = {
      kind: "scheduled",
      at: attempts[0].at,
      duration_ms: 87,
      response_code: 503,
      error_class: "http",
      error: attempts[0].error
    }
    assert.deepStrictEqual(attempts, [first])
    assert.match(first.error, /503/)
    const wait = Date.parse(next_attempt_at) - Date.parse(first.at)
    assert.isTrue(wait >= 5000 && wait <= 5700, `${wait}`)
    const detail = yield* one(rest.id)
    assert.deepStrictEqual(detail.attempts, [{ ...first, response_excerpt: "upstream" }])
    assert.deepStrictEqual(detail.payload, event)

    yield* receivers.answer(() => Effect.fail(new NoWebhookResponse({ failure: "tls", reason: "No certificate." })))
    yield* TestClock.adjust("6 seconds")
    yield* hook.failures(2)
    const second = { response_code: null, error_class: "tls", error: "No certificate." }
    const after = yield* one(rest.id)
    assert.deepInclude(after.attempts[1], { ...second, response_excerpt: null })
    yield* receivers.answer(() => Effect.succeed({ status: 204 }))
    yield* TestClock.adjust("6 minutes")
    yield* hook.failures(0)
    const over = yield* one(rest.id)
    assert.deepInclude(over, { status: "delivered", next_attempt_at: null, attempt_count: 3 })
    assert.deepInclude(over.attempts[2], { response_code: 204, error_class: null, error: null })
    assert.isTrue(over.settled_at > over.attempts[2].at || over.settled_at === over.attempts[2].at)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("deliveries are listed newest first, in pages, and can be filtered by status", () =>
  Effect.gen(function* () {
    const { declined, key } = yield* seedDecliningPartner
    const hook = yield* registerWebhook(key, ["commentary.failed"])
    const { delivered, list, page } = makeDeliveriesApiReader(key, hook.id)
    for (let count = 0; count < 3; count++) {
      yield* declined(`Who is number ${count} this season?`)
      yield* delivered(count + 1)
      yield* TestClock.adjust("1 hour")
    }
    yield* patchWebhook(key, hook.id, { status: "paused" })
    for (let count = 3; count < 5; count++) {
      yield* declined(`Who is number ${count} this season?`)
      yield* TestClock.adjust("1 hour")
    }
    const all = yield* list()
    const stands = all.map(({ status }: { readonly status: string }) => status)
    assert.deepStrictEqual(stands, ["held", "held", "delivered", "delivered", "delivered"])
    assert.isNull(all[0].next_attempt_at)
    const moments = all.map(({ created_at }: { readonly created_at: string }) => created_at)
    assert.deepStrictEqual(moments, moments.toSorted().toReversed())
    const seen: Array<unknown> = []
    let cursor = ""
    for (let pages = 1; pages <= 3; pages++) {
      const { data, pagination } = (yield* page(`?limit=2${cursor}`)).body
      seen.push(...data)
      assert.deepStrictEqual([pagination.limit, pagination.next_cursor === null], [2, pages === 3])
      cursor = `&cursor=${pagination.next_cursor}`
    }
    assert.deepStrictEqual(seen, all)
    const count = (status: string) => Effect.map(list(`?status=${status}`), ({ length }) => length)
    const counts = Effect.all(["held", "pending", "delivered", "failed"].map(count))
    assert.deepStrictEqual(yield* counts, [2, 0, 3, 0])
    yield* patchWebhook(key, hook.id, { status: "active" })
    yield* delivered(5)
    yield* hook.failures(0)
    assert.deepStrictEqual(yield* counts, [0, 0, 5, 0])
    yield* TestClock.setTime(Date.parse(moments[1]) + 30 * 86_400_000 + 1)
    assert.deepStrictEqual(yield* counts, [0, 0, 1, 0])
    assert.strictEqual((yield* getWebhook(key, `/${hook.id}/deliveries/${all[1].id}`)).status, 404)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "deliveries to an unreachable receiver are held, count no attempts, and show the time of the next probe",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(() =>
        Effect.fail(new NoWebhookResponse({ failure: "refused", reason: "Nobody is there." }))
      )
      const { declined, key } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      for (let count = 0; count < 3; count++) {
        yield* declined(`Who is number ${count} this season?`)
        yield* hook.failures(count + 1)
      }
      const { list } = makeDeliveriesApiReader(key, hook.id)
      const probe = "2026-03-01T09:01:00.000Z"
      assert.deepStrictEqual(
        (yield* list("?status=held")).map(
          ({ next_attempt_at }: { readonly next_attempt_at: string }) => next_attempt_at
        ),
        [probe, probe, probe]
      )
      assert.deepStrictEqual(yield* list("?status=pending"), [])
      yield* TestClock.adjust("61 seconds")
      yield* hook.failures(4)
      const kinds = (yield* list()).flatMap(({ attempts }: { readonly attempts: ReadonlyArray<{ kind: string }> }) =>
        attempts.map(({ kind }) => kind)
      )
      assert.deepStrictEqual(kinds.toSorted(), ["probe", "scheduled", "scheduled", "scheduled"])
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a request for another owner's deliveries gets the same response as for unknown deliveries, byte for byte",
  () =>
    Effect.gen(function* () {
      const { declined, key, owner } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      const other = yield* registerWebhook(key, ["creator.approved"])
      yield* declined("Who goes down this season?")
      yield* waitForEvents(1)
      const [{ id }] = yield* makeDeliveriesApiReader(key, hook.id).list()
      const strangers = [
        (yield* Seed.issueApiKey(yield* Seed.createOrganization({ name: "Other" }))).text,
        (yield* Seed.issueApiKey(owner, { environment: "test" })).text
      ]
      const nothing = yield* getWebhook(key, `/${unknownId}/deliveries`)
      assert.deepStrictEqual([nothing.status, nothing.body.error.code], [404, "not_found"])
      for (const [by, path] of [
        ...strangers.map((stranger) => [stranger, `/${hook.id}/deliveries`] as const),
        ...strangers.map((stranger) => [stranger, `/${hook.id}/deliveries/${id}`] as const),
        [key, "/x/deliveries"],
        [key, `/x/deliveries/${id}`],
        [key, `/${unknownId}/deliveries/${id}`]
      ] as const) {
        const { body, status } = yield* getWebhook(by, path)
        assert.deepStrictEqual([status, body], [404, nothing.body], path)
      }
      const none = yield* getWebhook(key, `/${hook.id}/deliveries/${unknownId}`)
      for (const path of [
        `/${hook.id}/deliveries/x`,
        `/${hook.id}/deliveries/evt_${id}`,
        `/${other.id}/deliveries/${id}`
      ]) {
        const { body, status } = yield* getWebhook(key, path)
        assert.deepStrictEqual([status, body], [404, none.body], path)
      }
      assert.strictEqual((yield* getWebhook(key, `/${hook.id}/deliveries/${id.toUpperCase()}`)).status, 200)
      const { text } = yield* Seed.issueApiKey(owner, { scopes: ["topics:submit"] })
      assert.strictEqual((yield* getWebhook(text, `/${hook.id}/deliveries`)).body.error.code, "scope_denied")
      yield* removeWebhook(key, hook.id)
      assert.strictEqual((yield* getWebhook(key, `/${hook.id}/deliveries/${id}`)).status, 404)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the response to an invalid delivery query reports all its problems", () =>
  Effect.gen(function* () {
    const { key } = yield* seedDecliningPartner
    const hook = yield* registerWebhook(key, ["commentary.failed"])
    const { page } = makeDeliveriesApiReader(key, hook.id)
    assert.deepStrictEqual(
      readReportedProblems(yield* page("?status=sent&limit=0&cursor=next")).map(({ field }) => field),
      ["status", "limit", "cursor"]
    )
    for (const query of ["?limit=101", "?limit=x", "?cursor=evt_", "?status="]) {
      assert.strictEqual(readReportedProblems(yield* page(query)).length, 1)
    }
    assert.strictEqual((yield* page("?limit=100&unknown=1")).status, 200)
  }).pipe(Effect.provide(InMemory.layer))
)
