/**
 * Tests that the official client's types match the real service for webhooks, API keys, bulk submissions and replays.
 */
import { assert, it } from "@effect/vitest"
import { ConnectionError, type ResponseInfo, type SubmissionResult, verifyWebhook } from "@partner-commentary/client"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  catchApiError,
  makeClient,
  makeDashboardClient,
  makeServiceFetch,
  runClientCall
} from "../support/ClientCalls.ts"

const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const content = "Will the Lakers make the play-offs?"
const url = "https://example.com/webhooks/commentary"

const setUp = Effect.gen(function* () {
  yield* TestClock.setTime(Date.now())
  const owner = yield* Seed.createOrganization()
  const ada = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  return { owner, ada, key, ...(yield* makeClient(key)) }
})

it.effect("the client registers, lists, changes, tests, verifies and deletes a webhook", () =>
  Effect.gen(function* () {
    const receivers = yield* InMemoryWebhookReceivers
    const { client, requests } = yield* setUp
    const { secret, ...made } = yield* runClientCall(() =>
      client.webhooks.create({ url, events: ["creator.approved"] })
    )
    assert.match(secret, /^whsec_/)
    assert.deepInclude(made, { url, events: ["creator.approved"], status: "active", consecutive_failures: 0 })
    assert.deepStrictEqual(yield* runClientCall(() => client.webhooks.list()), [made])
    assert.deepStrictEqual(yield* runClientCall(() => client.webhooks.get(made.id)), made)
    const changed = yield* runClientCall(() =>
      client.webhooks.update(made.id, { status: "paused", events: ["partner.approved"] })
    )
    assert.deepStrictEqual([changed.status, changed.events], ["paused", ["partner.approved"]])

    const tried = yield* runClientCall(() => client.webhooks.test(made.id))
    assert.deepStrictEqual(
      [tried.success, tried.delivery_status, tried.response_code, tried.error],
      [true, "delivered", 200, null]
    )
    const sent = (yield* receivers.sent).at(-1) ?? assert.fail("nothing was sent")
    const event = yield* runClientCall(() =>
      verifyWebhook(sent.body, sent.headers, ["an older secret of this endpoint's", secret])
    )
    assert.deepStrictEqual([event.type, event.id], ["webhook.test", tried.test_event_id])
    const other = yield* runClientCall(() =>
      verifyWebhook(sent.body, sent.headers, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").catch((error) => error)
    )
    assert.include(other, { name: "WebhookVerificationError", reason: "wrong_signature" })

    yield* receivers.answer(() => Effect.succeed({ status: 503 }))
    const before = requests()
    const failed = yield* runClientCall(() => client.webhooks.test(made.id))
    assert.deepStrictEqual([failed.success, failed.response_code, requests() - before], [false, 503, 1])
    assert.match(failed.error ?? "", /503/)

    assert.deepStrictEqual(yield* runClientCall(() => client.webhooks.delete(made.id)), { id: made.id, deleted: true })
    yield* catchApiError("not_found", () => client.webhooks.get(made.id))
    yield* catchApiError("not_found", () => client.webhooks.test(made.id))
    const refused = yield* catchApiError("invalid_request", () => client.webhooks.create({ url, events: [] }))
    assert.strictEqual(refused.details.field, "events")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the client creates, uses, rotates and revokes an API key with a dashboard token", () =>
  Effect.gen(function* () {
    const { owner } = yield* setUp
    const { apiKeys } = yield* makeDashboardClient(yield* Seed.issueDashboardToken(owner))
    const created = yield* runClientCall(() =>
      apiKeys.create({ name: "Backend", scopes: ["topics:read"], environment: "test", ip_whitelist: [] })
    )
    assert.match(created.full_key, /^pk_test_/)
    assert.deepInclude(created, { name: "Backend", scopes: ["topics:read"], environment: "test", expires_at: null })
    const { client } = yield* makeClient(created.full_key)
    assert.deepStrictEqual((yield* runClientCall(() => client.topics.list())).data, [])

    const renamed = yield* runClientCall(() => apiKeys.update(created.id, { name: "Newsroom", ip_whitelist: [] }))
    assert.strictEqual(renamed.name, "Newsroom")
    const me = yield* runClientCall(() => client.me())
    assert.deepStrictEqual([me.key.id, me.key.name, me.scopes], [created.id, "Newsroom", ["topics:read"]])
    assert.strictEqual(me.organization.id, owner.id)

    const rotated = yield* runClientCall(() => apiKeys.rotate(created.id, { grace_period_seconds: 3600 }))
    assert.strictEqual(rotated.replaces.id, created.id)
    const old = yield* runClientCall(() => apiKeys.get(created.id))
    assert.strictEqual(old.revoked_at, rotated.replaces.revoked_at)
    assert.notProperty(old, "full_key")
    const listed = yield* runClientCall(() => apiKeys.list())
    assert.includeMembers(
      listed.map(({ id }) => id),
      [created.id, rotated.id]
    )
    yield* runClientCall(() => client.topics.list())

    const successor = yield* makeClient(rotated.full_key)
    yield* runClientCall(() => successor.client.topics.list())
    const revoked = yield* runClientCall(() => apiKeys.revoke(rotated.id))
    assert.strictEqual(revoked.id, rotated.id)
    yield* catchApiError("key_revoked", () => successor.client.topics.list())
    yield* catchApiError("not_found", () => apiKeys.get(unknown))
    const stranger = yield* makeDashboardClient("a.b.c")
    yield* catchApiError("unauthorized", () => stranger.apiKeys.list())
  }).pipe(Effect.provide(InMemory.layer))
)

/** Returns the result's status, and the ids that a result with this status contains. */
const outline = (result: SubmissionResult | undefined) => {
  if (result?.status === "sent") return [result.status, result.share_id]
  if (result?.status === "duplicate") return [result.status, result.duplicate_of.topic_id, result.duplicate_of.share_id]
  return [result?.status]
}

it.effect("each topic of a bulk request has its own result, and each result has the fields of its status", () =>
  Effect.gen(function* () {
    const { ada, client } = yield* setUp
    const topic = { content, persona_ids: [ada.id, unknown] }
    const { results } = yield* runClientCall(() =>
      client.topics.createMany([
        topic,
        { content: "?", persona_ids: [ada.id] },
        topic,
        { content: "Who wins the derby?", persona_ids: [ada.id, ada.id] }
      ])
    )
    assert.deepStrictEqual(
      results.map(({ index, status }) => [index, status]),
      [
        [0, "created"],
        [1, "refused"],
        [2, "refused"],
        [3, "created"]
      ]
    )
    const [first, short, again, derby] = results
    if (first?.status !== "created" || derby?.status !== "created") return assert.fail("they were not created")
    const share = first.topic.results[0]?.share_id
    assert.match(share ?? "", /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual(first.topic.results.map(outline), [["sent", share], ["not_licensed"]])
    const place = derby.topic.results[0]?.share_id
    assert.deepStrictEqual(derby.topic.results.map(outline), [
      ["sent", place],
      ["duplicate", derby.topic.topic_id, place]
    ])
    if (short?.status !== "refused" || again?.status !== "refused") return assert.fail("they were not refused")
    if (short.error.code !== "invalid_request") return assert.fail(short.error.code)
    assert.strictEqual(short.error.details.field, "topics[1].content")
    if (again.error.code !== "no_valid_personas") return assert.fail(again.error.code)
    assert.deepStrictEqual(again.error.details.map(outline), [
      ["duplicate", first.topic.topic_id, share],
      ["not_licensed"]
    ])
    assert.deepStrictEqual(Object.keys(again.error.details[1] ?? {}).sort(), ["persona_id", "status"])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a repeated call with the same idempotency key returns the first response, and creates only one topic", () =>
  Effect.gen(function* () {
    const { ada, client } = yield* setUp
    const seen: Array<ResponseInfo> = []
    const options = { idempotencyKey: "order-17", onResponse: (each: ResponseInfo) => seen.push(each) }
    const topic = { content, persona_ids: [ada.id] }
    const first = yield* runClientCall(() => client.topics.create(topic, options))
    assert.deepStrictEqual(yield* runClientCall(() => client.topics.create(topic, options)), first)
    assert.deepStrictEqual(
      seen.map(({ replayed }) => replayed),
      [false, true]
    )
    const other = { ...topic, content: "Who wins the derby?" }
    const refused = yield* catchApiError("invalid_request", () => client.topics.create(other, options))
    assert.match(refused.details.field, /idempotency-key/i)
    assert.strictEqual((yield* runClientCall(() => client.topics.list())).pagination.total, 1)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the client repeats a POST whose response was lost, and returns the first response", () =>
  Effect.gen(function* () {
    const { ada, key } = yield* setUp
    const service = yield* makeServiceFetch
    const seen: Array<ResponseInfo> = []
    let lost = 0
    const { client } = yield* makeClient(key, {
      onResponse: (each) => seen.push(each),
      fetch: async (url, init) => {
        const answer = await service(url, init)
        if (init.method !== "POST" || lost++ % 2 === 1) return answer
        throw new TypeError("fetch failed", { cause: new Error("read ECONNRESET") })
      }
    })
    const topic = yield* runClientCall(() => client.topics.create({ content, persona_ids: [ada.id] }))
    assert.strictEqual(topic.results[0]?.status, "sent")
    const hook = yield* runClientCall(() => client.webhooks.create({ url, events: ["creator.approved"] }))
    assert.deepStrictEqual(
      seen.map(({ attempt, replayed }) => [attempt, replayed]),
      [
        [2, true],
        [2, true]
      ]
    )
    assert.strictEqual((yield* runClientCall(() => client.topics.list())).pagination.total, 1)
    assert.lengthOf(yield* runClientCall(() => client.webhooks.list()), 1)
    const tried = yield* runClientCall(() => client.webhooks.test(hook.id).catch((error: unknown) => error))
    assert.instanceOf(tried, ConnectionError)
    assert.lengthOf(yield* (yield* InMemoryWebhookReceivers).sent, 1)
  }).pipe(Effect.provide(InMemory.layer))
)
