/**
 * Tests the list of past events of one environment. The pages of the list contain the same bytes that webhooks
 * received.
 */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  makeDeliveriesApiReader,
  readWebhookRequests,
  registerWebhook,
  seedDecliningPartner
} from "../support/DeliveryCalls.ts"
import { readReportedProblems } from "../support/WebhookCalls.ts"

const first = "evt_019c0e5f-03aa-7001-8000-94d0b7f3a6e2"

const list = Effect.fnUntraced(function* (key: string, query = "") {
  const response = yield* (yield* TestApi).call(`/partner/v1/events${query}`, { key })
  const text = yield* Effect.promise(() => response.text())
  return { status: response.status, text, body: JSON.parse(text) }
})

it.effect("events are listed newest first, in pages, with the same bytes that webhooks received", () =>
  Effect.gen(function* () {
    const { declined, key } = yield* seedDecliningPartner
    const hook = yield* registerWebhook(key, ["commentary.failed", "topic.completed"])
    assert.deepStrictEqual((yield* list(key)).body, {
      success: true,
      data: [],
      pagination: { limit: 20, next_cursor: null }
    })
    for (let count = 0; count < 5; count++) {
      yield* declined(`Who is number ${count} this season?`)
      yield* makeDeliveriesApiReader(key, hook.id).delivered(2 * count + 2)
      yield* TestClock.adjust("1 hour")
    }
    const newestFirst = (one: { readonly id: string }, other: { readonly id: string }) => (one.id < other.id ? 1 : -1)
    const sent = (yield* readWebhookRequests)
      .map(({ body }) => ({ id: JSON.parse(body).id, body }))
      .toSorted(newestFirst)
      .map(({ body }) => body)
    assert.lengthOf(sent, 10)
    const all = yield* list(key)
    assert.strictEqual(
      all.text,
      `{"success":true,"data":[${sent.join()}],"pagination":{"limit":20,"next_cursor":null}}`
    )
    const seen: Array<{ readonly id: string }> = []
    let cursor = ""
    for (let pages = 1; pages <= 3; pages++) {
      const { data, pagination } = (yield* list(key, `?limit=4${cursor}`)).body
      seen.push(...data)
      assert.strictEqual(pagination.next_cursor === null, pages === 3)
      cursor = `&cursor=${pagination.next_cursor}`
    }
    assert.deepStrictEqual(seen, all.body.data)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("events can be filtered by type and start time, and the list goes back 30 days", () =>
  Effect.gen(function* () {
    const { declined, key } = yield* seedDecliningPartner
    yield* declined("Who goes down this season?")
    yield* TestClock.adjust("1 day")
    yield* declined("And who goes up instead?")
    const count = (query: string) => Effect.map(list(key, query), ({ body }) => body.data.length)
    assert.strictEqual(yield* count("?type=commentary.failed"), 2)
    assert.strictEqual(yield* count("?type=creator.approved"), 0)
    assert.strictEqual(yield* count("?since=2026-03-01T09:00:00Z"), 4)
    assert.strictEqual(yield* count("?since=2026-03-01T10:00:00.001%2B01:00"), 2)
    // An unescaped plus sign in a query decodes to a space.
    assert.strictEqual(yield* count("?since=2026-03-01T10:00:00.001+01:00"), 2)
    assert.strictEqual(yield* count("?since=2026-03-01T10:00:00+0100"), 4)
    assert.strictEqual(yield* count("?since=2026-03-02T09:00:00.000Z"), 2)
    assert.strictEqual(yield* count("?since=2026-03-02T09:00:00.001Z"), 0)
    assert.strictEqual(yield* count("?since=2026-03-02T09:00:00.000000Z"), 2)
    assert.strictEqual(yield* count("?since=2026-03-02T09:00:00.000001Z"), 0)
    yield* TestClock.setTime(Date.parse("2026-03-31T09:00:00.000Z"))
    assert.strictEqual(yield* count(""), 4)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* count(""), 2)
    assert.strictEqual(yield* count("?since=2020-01-01T00:00:00Z"), 2)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("events of another organization or environment are not listed, even if the cursor is one of their ids", () =>
  Effect.gen(function* () {
    const { declined, key, owner } = yield* seedDecliningPartner
    yield* declined("Who goes down this season?")
    const [{ id }] = (yield* list(key)).body.data
    const strangers = [
      yield* Seed.issueApiKey(yield* Seed.createOrganization({ name: "Other" })),
      yield* Seed.issueApiKey(owner, { environment: "test" })
    ]
    for (const { text } of strangers) {
      assert.deepStrictEqual((yield* list(text)).body.data, [])
      assert.deepStrictEqual((yield* list(text, `?cursor=${id.replace(/.$/, "f")}`)).body.data, [])
    }
    const { text } = yield* Seed.issueApiKey(owner, { scopes: ["topics:submit"] })
    assert.strictEqual((yield* list(text)).body.error.code, "scope_denied")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the response to an invalid event query reports all its problems", () =>
  Effect.gen(function* () {
    const { key } = yield* seedDecliningPartner
    const wrong = readReportedProblems(yield* list(key, "?type=creator&since=yesterday&limit=0&cursor=next"))
    assert.deepStrictEqual(
      wrong.map(({ field }) => field),
      ["type", "since", "limit", "cursor"]
    )
    for (const query of [
      "?after=evt_1",
      "?order=up",
      `?after=${first}&order=desc`,
      `?after=${first}&cursor=${first}`
    ]) {
      assert.strictEqual(readReportedProblems(yield* list(key, query)).length, 1, query)
    }
    for (const query of ["?limit=101", "?limit=x", "?cursor=evt_", "?since=2026-03-01", "?type=webhook.test"]) {
      assert.strictEqual(readReportedProblems(yield* list(key, query)).length, 1)
    }
    assert.strictEqual((yield* list(key, "?limit=100&unknown=1")).status, 200)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "with order=asc or after, events are listed oldest first, and an empty page's cursor leads to later events",
  () =>
    Effect.gen(function* () {
      const { declined, key } = yield* seedDecliningPartner
      const seen: Array<{ readonly id: string }> = []
      let { data, pagination } = (yield* list(key, "?order=asc&limit=2")).body
      assert.deepStrictEqual(data, [])
      for (let count = 0; count < 3; count++) {
        yield* declined(`Who is number ${count} this season?`)
        yield* TestClock.adjust("1 hour")
      }
      for (const expected of [2, 2, 2, 0, 0]) {
        ;({ data, pagination } = (yield* list(key, `?limit=2&after=${pagination.next_cursor}`)).body)
        assert.lengthOf(data, expected)
        seen.push(...data)
      }
      const all = (yield* list(key)).body.data
      assert.deepStrictEqual(seen, all.toReversed())
      assert.strictEqual(pagination.next_cursor, all[0].id)
      const failed = [seen[2], seen[4]]
      assert.deepStrictEqual((yield* list(key, `?after=${all[5].id}&type=commentary.failed`)).body.data, failed)
      assert.deepStrictEqual((yield* list(key, `?order=asc&cursor=${all[1].id}`)).body.data, seen.slice(5))
      assert.deepStrictEqual((yield* list(key, `?order=asc&since=${all[0].timestamp}`)).body.data, seen.slice(4))
      yield* declined("Who is the next one?")
      const [completed, next] = (yield* list(key)).body.data
      const { body } = yield* list(key, `?after=${pagination.next_cursor}`)
      assert.deepStrictEqual(body, {
        success: true,
        data: [next, completed],
        pagination: { limit: 20, next_cursor: completed.id }
      })
    }).pipe(Effect.provide(InMemory.layer))
)
