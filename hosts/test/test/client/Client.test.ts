/** Tests the official client against the real service. Every response and every error must match the client's types. */
import { assert, it } from "@effect/vitest"
import type { TopicProgress } from "@partner-commentary/client"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { TestPartnerCommentary } from "@partner-commentary/test"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import { catchApiError, makeClient, runClientCall } from "../support/ClientCalls.ts"

const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up."

it("the client submits a topic, waits while creators answer, and fetches every view of the topic", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed({
    personas: [{ name: "Ada Vance", expertise: ["basketball"] }, "Bo Lindqvist"]
  })
  const [ada, bo] = personas
  const client = pc.client(organization)

  const listed = await client.personas.list()
  assert.deepStrictEqual(
    listed.map(({ name }) => name),
    ["Ada Vance", "Bo Lindqvist"]
  )
  assert.deepStrictEqual((await client.personas.get(ada.id)).expertise, ["basketball"])

  const metadata = { desk: "basketball", at: [1, { deep: null }] }
  const topic = await client.topics.create({
    content,
    persona_ids: [ada.id, bo.id, unknown],
    external_reference: "a:b.c-d_e",
    metadata
  })
  assert.deepStrictEqual(
    topic.results.map(({ status }) => status),
    ["sent", "sent", "not_licensed"]
  )
  assert.deepStrictEqual([topic.personas_sent, topic.status, topic.metadata], [2, "pending", metadata])

  const seen: Array<TopicProgress> = []
  const waiting = client.topics.waitFor(topic.topic_id, { intervalMs: 5, onProgress: (status) => seen.push(status) })
  await pc.creator(bo).decline()
  await pc.creator(ada).respond(perspective)
  await pc.creator(ada).approve()

  const detail = await waiting
  assert.strictEqual(detail.status, "completed")
  assert.deepStrictEqual(detail.summary, { total_personas: 2, completed: 1, pending: 0, failed: 1 })
  const [first, second] = detail.commentaries
  assert.include(first?.commentary?.content, perspective)
  assert.deepStrictEqual([second?.commentary, second?.failure?.reason], [null, "declined"])
  assert.strictEqual(seen.at(-1)?.overall_status, "completed")
  assert.strictEqual(seen.at(-1)?.summary.creator_approved, 1)

  const { commentaries } = await client.topics.commentaries(topic.topic_id)
  assert.deepStrictEqual(
    commentaries.map(({ commentary_id, persona }) => [commentary_id, persona.name]),
    [[first?.commentary?.id, "Ada Vance"]]
  )
  const lookup = await client.topics.byReference("a:b.c-d_e")
  assert.deepStrictEqual([lookup.topic_id, lookup.truncated, lookup.commentaries.length], [topic.topic_id, false, 2])
})

it.effect("iterating over all pages yields every topic once, and the newest topic comes first", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const ada = yield* Seed.createPersona(owner)
    const { client, requests } = yield* makeClient((yield* Seed.issueApiKey(owner)).text)
    const made: Array<string> = []
    for (let at = 0; at < 7; at++) {
      const topic = { content: `Who wins match number ${at}?`, persona_ids: [ada.id] }
      made.unshift((yield* runClientCall(() => client.topics.create(topic))).topic_id)
    }
    const before = requests()
    const listed = yield* runClientCall(async () => {
      const ids: Array<string> = []
      for await (const { topic_id } of client.topics.list({ status: "pending", limit: 3 })) ids.push(topic_id)
      return ids
    })
    assert.deepStrictEqual(listed, made)
    assert.strictEqual(requests() - before, 3)
    const page = yield* runClientCall(() => client.topics.list({ limit: 2, offset: 1 }))
    assert.strictEqual(page.pagination.total, 7)
    assert.deepStrictEqual(
      page.data.map(({ topic_id }) => topic_id),
      made.slice(1, 3)
    )
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the client throws an ApiError with code, status and details, and does not repeat the request", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization({ limits: { topics_per_month: 1 } })
    const ada = yield* Seed.createPersona(owner)
    const strangers = yield* Seed.createPersona(null)
    const key = yield* Seed.issueApiKey(owner)
    const { client, requests } = yield* makeClient(key.text)
    const topic = { content, persona_ids: [ada.id] }

    const invalid = yield* catchApiError("invalid_request", () =>
      client.topics.create({ content: "?", persona_ids: [] })
    )
    assert.strictEqual(invalid.status, 400)
    assert.isAbove(invalid.details.errors.length, 1)
    assert.match(invalid.requestId ?? "", /./)
    const limit = yield* catchApiError("invalid_request", () => client.topics.list({ limit: 1000 }))
    assert.strictEqual(limit.details.field, "limit")

    const nobody = yield* catchApiError("no_valid_personas", () =>
      client.topics.create({ content, persona_ids: [unknown] })
    )
    assert.deepStrictEqual(nobody.details, [{ persona_id: unknown, status: "not_licensed" }])
    const licence = yield* catchApiError("not_licensed", () => client.personas.get(strangers.id))
    assert.deepStrictEqual([licence.status, licence.details.persona_id], [403, strangers.id])
    assert.strictEqual((yield* catchApiError("not_found", () => client.topics.get(unknown))).status, 404)
    yield* catchApiError("not_found", () => client.topics.byReference("nobody's".replace("'", "-")))
    yield* catchApiError("not_found", () => client.topics.waitFor(unknown))
    assert.strictEqual(requests(), 7)

    yield* runClientCall(() => client.topics.create(topic))
    const before = requests()
    const quota = yield* catchApiError("rate_limit_exceeded", () =>
      client.topics.create({ ...topic, content: "And who wins the cup this year?" })
    )
    assert.deepStrictEqual([quota.status, quota.details.quota, requests() - before], [429, "topics_per_month", 1])

    const reader = yield* makeClient((yield* Seed.issueApiKey(owner, { scopes: ["topics:read"] })).text)
    assert.match((yield* catchApiError("scope_denied", () => reader.client.personas.list())).message, /personas:read/)
    const stranger = yield* makeClient("pk_live_nobodys")
    assert.strictEqual((yield* catchApiError("unauthorized", () => stranger.client.personas.list())).status, 401)
    yield* Effect.orDie((yield* ApiKeys).revoke(key.id))
    yield* catchApiError("key_revoked", () => client.personas.list())
  }).pipe(Effect.provide(InMemory.layer))
)
