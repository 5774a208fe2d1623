/** Tests requests with many topics. Each topic is processed separately, in order, and only once per idempotency key. */

import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { runWhileTimePasses } from "../support/Eventually.ts"
import { makeWritesFail, stopWriteFailures } from "../support/FailingWrites.ts"
import { readJson } from "../support/Json.ts"

const path = "/partner/v1/topics/bulk"

const setUp = Effect.fnUntraced(function* (given: Parameters<typeof Seed.createOrganization>[0] = {}) {
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization(given)
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  const topic = (name: string | number) => ({
    content: `Who will win the cup, number ${name}?`,
    persona_ids: [persona.id]
  })
  const post = (body: unknown, idempotencyKey?: string) =>
    call(path, {
      method: "POST",
      key,
      body,
      headers: {
        "content-type": "application/json",
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
      }
    })
  const results = (body: unknown, idempotencyKey?: string) =>
    Effect.gen(function* () {
      const response = yield* post(body, idempotencyKey)
      const text = yield* Effect.promise(() => response.text())
      assert.strictEqual(response.status, 200, text)
      const parsed = JSON.parse(text)
      assert.deepStrictEqual(Object.keys(parsed), ["success", "data"])
      return parsed.data.results
    })
  const list = Effect.map(Effect.flatMap(call("/partner/v1/topics?limit=100", { key }), readJson), (all) => all)
  return { call, key, owner, persona, topic, post, results, list }
})

const outline = (results: ReadonlyArray<{ index: number; status: string; error?: { code: string } }>) =>
  results.map(({ error, index, status }) => [index, error === undefined ? status : error.code])

const refused = Effect.fnUntraced(function* (response: Response, field: string) {
  const { error } = yield* readJson(response)
  assert.strictEqual(response.status, 400)
  assert.strictEqual(error.code, "invalid_request")
  assert.strictEqual(error.details.field, field, JSON.stringify(error))
  return error.details.constraint as string
})

it.effect(
  "the results have the order of the topics and equal the results of single POST /topics requests, and a refused topic affects no other topic",
  () =>
    Effect.gen(function* () {
      const { call, key, list, persona, results, topic } = yield* setUp()
      const unlicensed = (yield* Seed.createPersona(null)).id
      const given = [
        { ...topic(0), external_reference: "mine", metadata: { a: [1] } },
        { content: "short", persona_ids: [persona.id, "x"] },
        { ...topic(2), persona_ids: [unlicensed] },
        "no object",
        { ...topic(4), persona_ids: [persona.id, persona.id, unlicensed] },
        topic(0)
      ]
      const all = yield* results({ topics: given })
      assert.deepStrictEqual(outline(all), [
        [0, "created"],
        [1, "invalid_request"],
        [2, "no_valid_personas"],
        [3, "invalid_request"],
        [4, "created"],
        [5, "no_valid_personas"]
      ])
      const [first, malformed, unknown, noObject, mixed, repeated] = all
      assert.deepInclude(first.topic, { external_reference: "mine", metadata: { a: [1] }, personas_sent: 1 })
      assert.deepStrictEqual(malformed.error.details.errors, [
        { field: "topics[1].content", constraint: "must be 10 to 500 characters long after trimming, and has 5" },
        { field: "topics[1].persona_ids[1]", constraint: "must be a UUID" }
      ])
      assert.strictEqual(
        malformed.error.message,
        "Invalid request: topics[1].content must be 10 to 500 characters long after trimming, and has 5."
      )
      assert.deepStrictEqual(unknown.error.details, [{ persona_id: unlicensed, status: "not_licensed" }])
      assert.deepInclude(noObject.error.details, { field: "topics[3]", constraint: "must be a JSON object" })
      assert.deepStrictEqual(
        mixed.topic.results.map(({ status }: { status: string }) => status),
        ["sent", "duplicate", "not_licensed"]
      )
      assert.strictEqual(repeated.error.details[0].duplicate_of.topic_id, first.topic.topic_id)
      assert.strictEqual((yield* list).pagination.total, 2)
      const single = yield* readJson(yield* call("/partner/v1/topics", { method: "POST", key, body: topic(6) }))
      assert.sameMembers(
        Object.keys(single.data),
        Object.keys(first.topic).filter((name) => name !== "external_reference")
      )
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a request with an invalid bulk body is refused completely, and nothing is stored", () =>
  Effect.gen(function* () {
    const { list, persona, post, topic } = yield* setUp()
    const many = (count: number) => Array.from({ length: count }, (_, index) => topic(index))
    assert.strictEqual(yield* refused(yield* post("{"), "body"), "must be valid JSON")
    assert.strictEqual(yield* refused(yield* post("[]"), "body"), "must be a JSON object")
    assert.strictEqual(yield* refused(yield* post({}), "topics"), "is required")
    assert.strictEqual(yield* refused(yield* post({ topics: topic(0) }), "topics"), "must be an array")
    assert.strictEqual(yield* refused(yield* post({ topics: [] }), "topics"), "must hold at least one topic")
    assert.strictEqual(yield* refused(yield* post({ topics: many(101) }), "topics"), "must hold at most 100 topics")
    const crowded = many(11).map((one) => ({ ...one, persona_ids: Array.from({ length: 91 }, () => persona.id) }))
    assert.strictEqual(
      yield* refused(yield* post({ topics: crowded }), "topics"),
      "must name at most 1000 personas in all"
    )
    const twice = `{"topics":[${JSON.stringify(topic(0))}],"\\u0074opics":[]}`
    yield* refused(yield* post(twice), "topics")
    const given = JSON.stringify({ topics: [topic(0)] })
    yield* refused(
      yield* post(`{"topics":[${JSON.stringify(topic(0))}],"topics":[${JSON.stringify(topic(1))}]}`),
      "topics"
    )
    yield* refused(yield* post(given.replace("}]", `}],"x":${"[".repeat(40)}${"]".repeat(40)}`)), "x")
    assert.strictEqual((yield* list).pagination.total, 0)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "only the topics with invalid JSON values are refused, and each topic has the nesting limit of a single topic",
  () =>
    Effect.gen(function* () {
      const { persona, results } = yield* setUp()
      const raw = (name: string, metadata: string) =>
        `{"content":"Who will win the cup, ${name}?","persona_ids":["${persona.id}"],"metadata":${metadata}}`
      const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
      const texts = [
        raw("one", '{"a":1,"a":2}'),
        raw("t,w]o", '{"s":"},{]\\"[\\\\"}'),
        raw("three", nested(33)),
        raw("four", nested(31)),
        raw("five", '{"n":12345678901234567890}'),
        raw("six", "{}")
      ]
      const all = yield* results(`{"before":{"topics":[1]},"topics" : [ ${texts.join(" ,\n ")} ] ,"after":[[]]}`)
      assert.deepStrictEqual(outline(all), [
        [0, "invalid_request"],
        [1, "created"],
        [2, "invalid_request"],
        [3, "created"],
        [4, "invalid_request"],
        [5, "created"]
      ])
      assert.strictEqual(all[0].error.details.field, "topics[0].metadata.a")
      assert.strictEqual(all[4].error.details.field, "topics[4].metadata.n")
      assert.deepStrictEqual(all[1].topic.metadata, { s: '},{]"[\\' })
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("only a bulk body may have 4 MiB, and each of its topics has the size limit of a single topic", () =>
  Effect.gen(function* () {
    const { call, key, post, results, topic } = yield* setUp()
    const pad = (size: number) => "x".repeat(size)
    const topics = Array.from({ length: 20 }, (_, index) => ({ ...topic(index), ignored: pad(200_000) }))
    assert.strictEqual((yield* results({ topics })).length, 20)
    const large = yield* results({ topics: [{ ...topic("large"), ignored: pad(300_000) }, topic("small")] })
    assert.deepStrictEqual(outline(large), [
      [0, "invalid_request"],
      [1, "created"]
    ])
    assert.deepInclude(large[0].error.details, { field: "topics[0]", constraint: "must be at most 256 KiB" })
    const tooMuch = { topics: [topic("much")], ignored: pad(4 * 1024 * 1024) }
    assert.strictEqual(yield* refused(yield* post(tooMuch), "body"), "must be at most 4 MiB")
    const single = yield* call("/partner/v1/topics", {
      method: "POST",
      key,
      body: { ...topic("one"), ignored: pad(300_000) }
    })
    assert.strictEqual(yield* refused(single, "body"), "must be at most 256 KiB")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("if a bulk request uses up a quota, its remaining topics are refused with the quota's name", () =>
  Effect.gen(function* () {
    const { list, results, topic } = yield* setUp({ limits: { topics_per_month: 2 } })
    const all = yield* results({ topics: [topic(0), "x", topic(2), topic(3), topic(4)] })
    assert.deepStrictEqual(outline(all), [
      [0, "created"],
      [1, "invalid_request"],
      [2, "created"],
      [3, "rate_limit_exceeded"],
      [4, "rate_limit_exceeded"]
    ])
    assert.deepInclude(all[3].error.details, { limit: 2, remaining: 0, quota: "topics_per_month" })
    assert.isAbove(all[3].error.details.retry_after, 0)
    assert.strictEqual((yield* list).pagination.total, 2)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "every topic of a bulk request counts towards the submission limit, and is refused when that limit is reached",
  () =>
    Effect.gen(function* () {
      const { list, post, results, topic } = yield* setUp({ limits: { topic_submissions_per_hour: 3 } })
      const all = yield* results({ topics: [topic(0), "no object", topic(2), topic(3)] }, "a")
      assert.deepStrictEqual(outline(all), [
        [0, "created"],
        [1, "invalid_request"],
        [2, "created"],
        [3, "rate_limit_exceeded"]
      ])
      assert.deepStrictEqual(all[3].error.details, { retry_after: 3600, limit: 3, remaining: 0 })
      const again = yield* post({ topics: [topic(0), "no object", topic(2), topic(3)] }, "a")
      assert.deepStrictEqual((yield* readJson(again)).data.results, all)
      assert.strictEqual((yield* list).pagination.total, 2)
      const more = yield* post({ topics: [topic(4)] })
      assert.deepStrictEqual([more.status, more.headers.get("retry-after")], [200, null])
      assert.strictEqual(more.headers.get("x-ratelimit-remaining"), "0")
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "an interrupted bulk request that is repeated with its idempotency key creates no topic twice and keeps earlier results",
  () =>
    Effect.gen(function* () {
      const { list, post, results, topic } = yield* setUp()
      const sql = yield* SqlClient.SqlClient
      const body = { topics: [topic(0), "malformed", topic(0), topic(3), topic(4)] }
      const fault = { table: "topics", on: "INSERT", rows: (row: string) => `${row}content LIKE '%number 3%'` } as const
      yield* makeWritesFail(sql, fault)
      assert.strictEqual((yield* post(body, "a")).status, 500)
      const before = yield* list
      assert.strictEqual(before.pagination.total, 1)
      assert.strictEqual(
        yield* refused(yield* post({ topics: [topic(9)] }, "a"), "Idempotency-Key"),
        "must be a new one: it was used with another body already"
      )
      yield* stopWriteFailures(sql, fault)
      const all = yield* results(body, "a")
      assert.deepStrictEqual(outline(all), [
        [0, "created"],
        [1, "invalid_request"],
        [2, "no_valid_personas"],
        [3, "created"],
        [4, "created"]
      ])
      assert.strictEqual(all[0].topic.topic_id, before.data[0].topic_id)
      assert.strictEqual((yield* list).pagination.total, 3)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "repeated bulk requests with one idempotency key get the first response, byte for byte, even if they are concurrent",
  () =>
    Effect.gen(function* () {
      const { list, post, topic } = yield* setUp()
      const body = { topics: [topic(0), {}, topic(2), topic(0)] }
      const answers = yield* runWhileTimePasses(
        Effect.forEach(Array.from({ length: 8 }), () => post(body, "a"), { concurrency: "unbounded" })
      )
      const texts = yield* Effect.forEach(answers, (answer) => Effect.promise(() => answer.text()))
      assert.strictEqual(new Set(texts).size, 1)
      assert.strictEqual(answers.filter(({ headers }) => headers.get("idempotency-replayed") === null).length, 1)
      assert.strictEqual((yield* list).pagination.total, 2)
      const again = yield* post(body, "a")
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.strictEqual(yield* Effect.promise(() => again.text()), texts[0])
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the service processes other requests between any two topics of a bulk request", () =>
  Effect.gen(function* () {
    const { results } = yield* setUp()
    const turns = { count: 0, over: false }
    const turn = () => {
      turns.count++
      if (!turns.over) setImmediate(turn)
    }
    const few = yield* results({ topics: [{}] })
    assert.strictEqual(few.length, 1)
    setImmediate(turn)
    const all = yield* results({ topics: Array.from({ length: 25 }, () => ({})) })
    turns.over = true
    assert.strictEqual(all.length, 25)
    assert.isAtLeast(turns.count, 25)
  }).pipe(Effect.provide(InMemory.layer))
)
