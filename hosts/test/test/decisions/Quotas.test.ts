/**
 * Tests the documented decisions about plans, the counting of quotas, and the billing period. The file
 * spec/Limits.test.ts tests bursts.
 */
import { assert } from "@effect/vitest"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  actAsCreator,
  findCreatorToken,
  formatStatusAndCode,
  makeDatabaseFile,
  readRateLimitHeaders,
  registerServiceTest,
  runOnSeparateInstance,
  seedPartner,
  sendRequest,
  waitForStatus
} from "../support/conformance/Dashboard.ts"
import { eventually } from "../support/Eventually.ts"

const content = "Will the cup be theirs again?"
const march = Date.parse("2026-03-01T00:00:00.000Z")

/** Seeds a partner with `more` additional personas. The function `submit` sends a topic to all personas. */
const seedPartnerWithPersonas = Effect.fnUntraced(function* (more: number, limits: Organization["limits"]) {
  const made = yield* seedPartner({ limits: { requests_per_hour: 1000, burst_per_minute: 1000, ...limits } })
  const personas = yield* Effect.forEach(Array.from({ length: more }), () => Seed.createPersona(made.owner))
  const persona_ids = [made.persona, ...personas].map(({ id }) => id)
  return {
    ...made,
    submit: (content: string) => made.submit(content, { more: { persona_ids } }),
    usage: Effect.map(sendRequest("GET /usage", { key: made.key }), ({ data }) => data)
  }
})

for (const [plan, hourly, topics, commentaries] of [
  ["standard", 1000, 1000, 5000],
  ["premium", 5000, 10_000, 50_000]
] as const) {
  registerServiceTest(
    `Plans: ${plan} has ${hourly} requests an hour, and ${topics} topics and ${commentaries} commentaries a month`,
    Effect.gen(function* () {
      const { key } = yield* seedPartner({ plan, limits: {} })
      const usage = yield* sendRequest("GET /usage", { key })
      assert.strictEqual(readRateLimitHeaders(usage)[0], hourly)
      assert.deepStrictEqual(usage.data.quotas, {
        topics_per_month: topics,
        commentaries_per_month: commentaries,
        api_calls_per_hour: hourly
      })
      assert.deepStrictEqual(usage.data.remaining, { topics, commentaries })
    })
  )
}

registerServiceTest(
  "Plans: an organization can override every limit of its plan",
  Effect.gen(function* () {
    const limits = {
      requests_per_hour: 70,
      burst_per_minute: 60,
      topics_per_month: 5,
      commentaries_per_month: 6,
      topic_submissions_per_hour: 1,
      persona_lists_per_hour: 2,
      topic_reads_per_hour: 3
    }
    const { key, submit } = yield* seedPartner({ plan: "premium", limits })
    const { quotas } = (yield* sendRequest("GET /usage", { key })).data
    assert.deepStrictEqual(quotas, { topics_per_month: 5, commentaries_per_month: 6, api_calls_per_hour: 70 })
    assert.deepStrictEqual(readRateLimitHeaders(yield* submit(content)).slice(0, 2), [1, 0])
    assert.deepStrictEqual(readRateLimitHeaders(yield* sendRequest("GET /personas", { key })).slice(0, 2), [2, 1])
    assert.deepStrictEqual(readRateLimitHeaders(yield* sendRequest("GET /topics/none", { key })).slice(0, 2), [3, 2])
  })
)

registerServiceTest(
  "Quota: a topic beyond the quota gets 429 rate_limit_exceeded, and retry_after is the time until the next period",
  Effect.gen(function* () {
    const { submit } = yield* seedPartnerWithPersonas(0, { topics_per_month: 1 })
    assert.strictEqual(formatStatusAndCode(yield* submit(content)), "201")
    yield* TestClock.setTime(march - 90_500)
    const refused = yield* submit("Will the cup be theirs after all?")
    assert.strictEqual(formatStatusAndCode(refused), "429 rate_limit_exceeded")
    assert.deepStrictEqual(refused.error.details, {
      retry_after: 91,
      limit: 1,
      remaining: 0,
      quota: "topics_per_month"
    })
    assert.strictEqual(refused.headers.get("retry-after"), "91")
    yield* TestClock.setTime(march)
    assert.strictEqual(formatStatusAndCode(yield* submit("Will the cup be theirs after all?")), "201")
  })
)

registerServiceTest(
  "Quota: only created topics count toward the quota of topics",
  Effect.gen(function* () {
    const { submit, usage } = yield* seedPartnerWithPersonas(2, {})
    yield* submit(content)
    assert.strictEqual(formatStatusAndCode(yield* submit(content)), "400 no_valid_personas")
    assert.strictEqual(formatStatusAndCode(yield* submit("short")), "400 invalid_request")
    assert.strictEqual((yield* usage).usage.topics_created, 1)
  })
)

registerServiceTest(
  "Quota: every sent assignment reduces the remaining commentaries by one",
  Effect.gen(function* () {
    const made = yield* seedPartnerWithPersonas(2, { commentaries_per_month: 10 })
    const unlicensed = yield* Seed.createPersona(null)
    const persona_ids = [made.persona.id, made.persona.id, unlicensed.id]
    yield* sendRequest("POST /topics", { key: made.key, body: { content, persona_ids } })
    assert.strictEqual((yield* made.usage).remaining.commentaries, 9)
    yield* made.submit("Will the cup be theirs after all?")
    assert.strictEqual((yield* made.usage).remaining.commentaries, 6)
  })
)

registerServiceTest(
  "Quota: a commentary counts in the month of its topic's creation, and no longer counts if its assignment fails",
  Effect.gen(function* () {
    const { persona, submit, usage } = yield* seedPartnerWithPersonas(0, { commentaries_per_month: 10 })
    yield* submit(content)
    yield* actAsCreator(yield* findCreatorToken(persona.creator.email), "decline")
    assert.strictEqual((yield* usage).remaining.commentaries, 10)
    yield* TestClock.setTime(march - 60_000)
    yield* submit("Will the cup be theirs after all?")
    assert.strictEqual((yield* usage).remaining.commentaries, 9)
    const late = yield* findCreatorToken(persona.creator.email, 2)
    yield* TestClock.setTime(march + 60_000)
    assert.strictEqual((yield* usage).remaining.commentaries, 10)
    yield* actAsCreator(late, "decline")
    assert.strictEqual((yield* usage).remaining.commentaries, 10)
  })
)

for (const reason of ["declined", "expired", "generation_failed", "approval_timeout", "withdrawn"]) {
  registerServiceTest(
    `Quota: the commentary of a failed assignment does not count toward the quota: ${reason}`,
    Effect.gen(function* () {
      const { key, persona, submit, usage } = yield* seedPartnerWithPersonas(0, { commentaries_per_month: 10 })
      const { topic_id } = (yield* submit(content)).data
      const generator = yield* ScriptedGenerator
      if (reason === "generation_failed") yield* generator.failNext({ permanent: true })
      const token = yield* findCreatorToken(persona.creator.email)
      if (reason === "declined") yield* actAsCreator(token, "decline")
      else if (reason !== "expired") yield* actAsCreator(token, "respond", { perspective: "Theirs, by some distance." })
      if (reason === "approval_timeout" || reason === "withdrawn")
        yield* waitForStatus(key, topic_id, "commentary_generated")
      if (reason === "generation_failed") {
        yield* eventually(
          "the attempt",
          Effect.map(generator.requests, ({ length }) => length === 1)
        )
      }
      if (reason === "withdrawn") yield* actAsCreator(token, "withdraw")
      if (reason !== "declined" && reason !== "withdrawn") assert.strictEqual((yield* usage).remaining.commentaries, 9)
      yield* TestClock.adjust("8 days")
      const failure = yield* eventually(
        reason,
        Effect.map(sendRequest(`GET /topics/${topic_id}/status`, { key }), ({ data }) => data.personas[0].failure)
      )
      assert.strictEqual(failure.reason, reason)
      assert.strictEqual((yield* usage).remaining.commentaries, 10)
    })
  )
}

registerServiceTest(
  "Quota: a topic with more personas than remaining commentaries is refused for all its personas",
  Effect.gen(function* () {
    const { key, persona, submit, usage } = yield* seedPartnerWithPersonas(2, { commentaries_per_month: 4 })
    yield* submit(content)
    const refused = yield* submit("Will the cup be theirs after all?")
    assert.strictEqual(formatStatusAndCode(refused), "429 rate_limit_exceeded")
    assert.deepInclude(refused.error.details, { limit: 4, remaining: 1, quota: "commentaries_per_month" })
    assert.strictEqual((yield* sendRequest("GET /topics", { key })).body.pagination.total, 1)
    assert.deepInclude(yield* usage, { remaining: { topics: 999, commentaries: 1 } })
    const single = { content: "Will the cup be theirs after all?", persona_ids: [persona.id] }
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("POST /topics", { key, body: single })), "201")
  })
)

registerServiceTest(
  "Quota: commentaries_generated counts assignments with a draft, and remaining is the quota minus the sent assignments",
  Effect.gen(function* () {
    const { key, persona, submit, usage } = yield* seedPartnerWithPersonas(1, { commentaries_per_month: 10 })
    const { data } = yield* submit(content)
    assert.strictEqual((yield* usage).usage.commentaries_generated, 0)
    const token = yield* findCreatorToken(persona.creator.email)
    yield* actAsCreator(token, "respond", { perspective: "Theirs, by some distance." })
    yield* waitForStatus(key, data.topic_id, "commentary_generated")
    assert.strictEqual((yield* usage).usage.commentaries_generated, 1)
    yield* actAsCreator(token, "approve")
    const after = yield* usage
    assert.strictEqual(after.usage.commentaries_generated, 1)
    assert.strictEqual(after.remaining.commentaries, 8)
  })
)

registerServiceTest(
  "Quota: concurrent submissions never exceed the quota",
  Effect.gen(function* () {
    const together = Effect.fnUntraced(function* (more: number, limits: Organization["limits"]) {
      const { submit, usage } = yield* seedPartnerWithPersonas(more, limits)
      const answers = yield* Effect.forEach(Array.from({ length: 16 }), (_, index) => submit(`${content} ${index}`), {
        concurrency: "unbounded"
      })
      const { remaining } = yield* usage
      return [answers.filter(({ status }) => status === 201).length, remaining.topics, remaining.commentaries]
    })
    assert.deepStrictEqual(yield* together(0, { topics_per_month: 5 }), [5, 0, 4995])
    assert.deepStrictEqual(yield* together(2, { commentaries_per_month: 11 }), [3, 997, 2])
  })
)

registerServiceTest(
  "Billing period: the period is the calendar month in UTC",
  Effect.gen(function* () {
    const { usage } = yield* seedPartnerWithPersonas(0, {})
    for (const [moment, begin, end] of [
      ["2026-02-28T23:59:59.999Z", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
      ["2026-03-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z"],
      ["2026-12-31T23:00:00.000Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"]
    ] as const) {
      yield* TestClock.setTime(Date.parse(moment))
      assert.deepStrictEqual((yield* usage).period, { start: begin, end })
    }
  })
)

registerServiceTest(
  "Billing period: api_calls counts the period's authenticated requests, and a clean shutdown loses no count",
  Effect.gen(function* () {
    const filename = yield* makeDatabaseFile
    const key = yield* runOnSeparateInstance(
      filename,
      Effect.gen(function* () {
        const { key } = yield* seedPartner()
        for (const line of ["GET /topics", "GET /topics/none", "GET /topics?limit=0", "GET /nowhere"]) {
          yield* sendRequest(line, { key })
          yield* sendRequest(line, { key: "garbage" })
        }
        return key
      })
    )
    const calls = Effect.map(sendRequest("GET /usage", { key }), ({ data }) => data.usage.api_calls)
    assert.strictEqual(yield* runOnSeparateInstance(filename, calls), 5)
    yield* TestClock.setTime(march)
    assert.strictEqual(yield* runOnSeparateInstance(filename, calls), 1)
  }).pipe(Effect.scoped)
)
