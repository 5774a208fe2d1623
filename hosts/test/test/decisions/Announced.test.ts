/** Tests the documented decisions about bulk submission and performance metrics. */
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  actAsCreator,
  findCreatorToken,
  formatStatusAndCode,
  readInvalidFields,
  readRateLimitHeaders,
  registerServiceTest,
  seedPartner,
  sendRequest,
  testClockStart,
  unknownId,
  waitForStatus
} from "../support/conformance/Dashboard.ts"

const about = (year: number) => `Will the cup be theirs in ${year}?`

const bulk = Effect.fnUntraced(function* (limits?: Parameters<typeof seedPartner>[0]) {
  const made = yield* seedPartner(limits)
  const topic = (year: number, more: object = {}) => ({ content: about(year), persona_ids: [made.persona.id], ...more })
  const post = (topics: unknown) => sendRequest("POST /topics/bulk", { key: made.key, body: { topics } })
  const total = Effect.map(sendRequest("GET /topics", { key: made.key }), ({ body }) => body.pagination.total as number)
  return { ...made, topic, post, total }
})

registerServiceTest(
  "POST /topics/bulk: the field topics contains 1 to 100 topics",
  Effect.gen(function* () {
    const { post, topic, total } = yield* bulk()
    const many = (count: number) => Array.from({ length: count }, (_, index) => topic(2030 + index))
    assert.strictEqual(formatStatusAndCode(yield* post(many(1))), "200")
    assert.strictEqual(formatStatusAndCode(yield* post(many(101))), "400 invalid_request")
    assert.deepStrictEqual(readInvalidFields(yield* post([])), ["topics"])
    assert.strictEqual(yield* total, 1)
    assert.strictEqual((yield* post(many(100))).data.results.length, 100)
    assert.strictEqual(yield* total, 100)
  })
)

registerServiceTest(
  "POST /topics/bulk: the topics of a request list at most 1,000 personas in total",
  Effect.gen(function* () {
    const { post, topic, total } = yield* bulk()
    const persona_ids = Array.from({ length: 100 }, () => unknownId)
    const crowded = Array.from({ length: 10 }, (_, index) => topic(2030 + index, { persona_ids }))
    assert.strictEqual(formatStatusAndCode(yield* post(crowded)), "200")
    assert.deepStrictEqual(readInvalidFields(yield* post([...crowded, topic(2050)])), ["topics"])
    assert.strictEqual(yield* total, 0)
  })
)

registerServiceTest(
  "POST /topics/bulk: a 200 response lists the result of each topic in request order, with the topic or the error",
  Effect.gen(function* () {
    const { post, topic } = yield* bulk()
    const given = [
      topic(2030),
      topic(2031, { content: "short" }),
      topic(2032, { persona_ids: [unknownId] }),
      topic(2033)
    ]
    const { body, data, status } = yield* post(given)
    assert.deepStrictEqual([status, body.success], [200, true])
    assert.deepStrictEqual(
      data.results.map(({ index, status }: { index: number; status: string }) => [index, status]),
      [
        [0, "created"],
        [1, "refused"],
        [2, "refused"],
        [3, "created"]
      ]
    )
    const [first, short, unknown, last] = data.results
    for (const result of [first, last]) assert.sameMembers(Object.keys(result), ["index", "status", "topic"])
    for (const result of [short, unknown]) assert.sameMembers(Object.keys(result), ["index", "status", "error"])
    assert.deepInclude(last.topic, { content: about(2033), personas_sent: 1, status: "pending" })
    assert.strictEqual(short.error.code, "invalid_request")
    assert.deepInclude(unknown.error, {
      code: "no_valid_personas",
      details: [{ persona_id: unknownId, status: "not_licensed" }]
    })
  })
)

registerServiceTest(
  "POST /topics/bulk: a refused topic does not undo the other topics of the request",
  Effect.gen(function* () {
    const { post, topic, total } = yield* bulk({ limits: { topics_per_month: 2 } })
    const { data } = yield* post([topic(2030), topic(2031), topic(2032)])
    assert.deepStrictEqual(
      data.results.map(({ status }: { status: string }) => status),
      ["created", "created", "refused"]
    )
    assert.deepInclude(data.results[2].error, { code: "rate_limit_exceeded" })
    assert.strictEqual(yield* total, 2)
  })
)

registerServiceTest(
  "POST /topics/bulk: each topic of the request counts toward the submission limit",
  Effect.gen(function* () {
    const { post, submit, topic } = yield* bulk({ limits: { topic_submissions_per_hour: 5 } })
    const answer = yield* post([topic(2030), topic(2031), topic(2032)])
    assert.deepStrictEqual(readRateLimitHeaders(answer).slice(0, 2), [5, 2])
    assert.strictEqual(formatStatusAndCode(yield* submit(about(2040))), "201")
    const { data } = yield* post([topic(2050), topic(2051)])
    assert.deepStrictEqual(
      data?.results.map(({ status }: { status: string }) => status),
      ["created", "refused"]
    )
  })
)

registerServiceTest(
  "GET /metrics/performance: the scope usage:read is required",
  Effect.gen(function* () {
    const { owner } = yield* seedPartner()
    const { text: reader } = yield* Seed.issueApiKey(owner, { scopes: ["usage:read"] })
    const { text: others } = yield* Seed.issueApiKey(owner, {
      scopes: ["personas:read", "topics:submit", "topics:read"]
    })
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /metrics/performance", { key: reader })), "200")
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("GET /metrics/performance", { key: others })),
      "401 scope_denied"
    )
  })
)

registerServiceTest(
  "GET /metrics/performance: counts the outcomes in a period, overall and by persona",
  Effect.gen(function* () {
    const { key, owner, persona, submit } = yield* seedPartner()
    const bo = yield* Seed.createPersona(owner, { name: "Bo Lindqvist" })
    yield* submit(about(2030), { more: { persona_ids: [persona.id, bo.id] } })
    yield* actAsCreator(yield* findCreatorToken(bo.creator.email), "decline")
    yield* TestClock.adjust("1 minute")
    const { data } = yield* sendRequest("GET /metrics/performance", { key })
    assert.sameMembers(Object.keys(data), ["period", "overall", "personas"])
    assert.deepInclude(data.overall.counts, { sent: 2, pending: 1, declined: 1, approved: 0, expired: 0 })
    const [first, second] = data.personas
    assert.deepInclude(first, { persona_id: persona.id, persona_name: persona.name })
    assert.deepInclude(first.counts, { sent: 1, pending: 1, declined: 0 })
    assert.deepInclude(second.counts, { sent: 1, pending: 0, declined: 1 })
    const past = yield* sendRequest(`GET /metrics/performance?to=${new Date(testClockStart).toISOString()}`, { key })
    assert.deepStrictEqual([past.data.overall.counts.sent, past.data.personas], [0, []])
  })
)

registerServiceTest(
  "GET /metrics/performance: contains the median and the 90th percentile of response, generation and approval times",
  Effect.gen(function* () {
    const { key, persona, submit } = yield* seedPartner()
    for (const [index, minutes] of [10, 20, 60].entries()) {
      const { data } = yield* submit(about(2030 + index))
      const token = yield* findCreatorToken(persona.creator.email, index * 2 + 1)
      yield* TestClock.adjust(minutes * 60_000)
      yield* actAsCreator(token, "respond", { perspective: "Theirs, by some distance." })
      yield* waitForStatus(key, data.topic_id, "commentary_generated")
      yield* findCreatorToken(persona.creator.email, index * 2 + 2)
      yield* TestClock.adjust(minutes * 1000)
      yield* actAsCreator(token, "approve")
    }
    const { overall, personas } = (yield* sendRequest("GET /metrics/performance", { key })).data
    for (const figures of [overall, personas[0]]) {
      assert.deepStrictEqual(figures.response_time, { count: 3, median: 1200, p90: 3600 })
      assert.deepStrictEqual(figures.generation_time, { count: 3, median: 0, p90: 0 })
      assert.deepStrictEqual(figures.approval_time, { count: 3, median: 20, p90: 60 })
    }
  })
)
