/** Tests section 8 of the specification: every rate limit, and the response headers that state the limit. */
import { assert } from "@effect/vitest"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  type ApiResponse,
  formatStatusAndCode,
  readRateLimitHeaders,
  registerServiceTest,
  seedPartner,
  sendRequest,
  testClockStartInSeconds
} from "../support/conformance/Dashboard.ts"

/** Sends `count` requests, some of them concurrently. All requests must get the same response. */
const all = Effect.fnUntraced(function* <E, R>(count: number, request: Effect.Effect<ApiResponse, E, R>, end: string) {
  const answers = yield* Effect.forEach(Array.from({ length: count }), () => request, { concurrency: 16 })
  assert.deepStrictEqual([...new Set(answers.map(formatStatusAndCode))], [end])
})

const refused = (answer: ApiResponse, limit: number) => {
  assert.strictEqual(formatStatusAndCode(answer), "429 rate_limit_exceeded")
  assert.deepInclude(answer.error.details, { limit, remaining: 0 })
}

/** Creates a partner on an unmodified plan. */
const on = (plan: Organization["plan"]) => seedPartner({ plan, limits: {} })

const tiers = [
  ["standard", 1000, 100],
  ["premium", 5000, 500]
] as const

for (const [plan, hourly, burst] of tiers) {
  registerServiceTest(
    `8 Tier ${plan}: ${hourly} requests per hour`,
    Effect.gen(function* () {
      const { key } = yield* on(plan)
      // A request for an unknown path counts only in the rate windows of its key.
      const lost = sendRequest("GET /nowhere", { key })
      for (let sent = 0; sent < hourly; sent += burst) {
        yield* all(burst, lost, "404 not_found")
        yield* TestClock.adjust("1 minute")
      }
      refused(yield* sendRequest("GET /usage", { key }), hourly)
      yield* TestClock.adjust("50 minutes")
      assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key })), "200")
    })
  )

  registerServiceTest(
    `8 Tier ${plan}: burst of ${burst} per minute`,
    Effect.gen(function* () {
      const { key } = yield* on(plan)
      const usage = sendRequest("GET /usage", { key })
      yield* all(burst, usage, "200")
      refused(yield* usage, burst)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(formatStatusAndCode(yield* usage), "200")
    })
  )
}

registerServiceTest(
  "8 Endpoint-specific limits: POST /topics 100 per hour",
  Effect.gen(function* () {
    const { key, submit } = yield* on("premium")
    for (let sent = 0; sent < 100; sent++) {
      assert.strictEqual(formatStatusAndCode(yield* submit(`Will the cup be theirs in ${2030 + sent}?`)), "201")
    }
    refused(yield* submit("Will the cup be theirs after all?"), 100)
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /topics", { key })), "200")
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(formatStatusAndCode(yield* submit("Will the cup be theirs after all?")), "201")
  })
)

for (const path of ["/personas", "/topics/{id}"]) {
  registerServiceTest(
    `8 Endpoint-specific limits: GET ${path} 1000 per hour`,
    Effect.gen(function* () {
      const { key, submit } = yield* on("premium")
      const { data } = yield* submit("Will the cup be theirs again?")
      yield* TestClock.adjust("1 minute")
      const request = sendRequest(`GET ${path.replace("{id}", data.topic_id)}`, { key })
      for (const _ of [1, 2]) {
        yield* all(500, request, "200")
        yield* TestClock.adjust("1 minute")
      }
      refused(yield* request, 1000)
      assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key })), "200")
    })
  )
}

registerServiceTest(
  "8 Rate-limit headers on all responses: successes and errors of every status",
  Effect.gen(function* () {
    const { createKey, key, submit, token } = yield* seedPartner({ limits: { burst_per_minute: 12 } })
    const revoked = (yield* createKey()).data
    yield* sendRequest(`DELETE /api-keys/${revoked.id}`, { token })
    const { id: unlicensed } = yield* Seed.createPersona(null)
    const answers = [
      yield* sendRequest("GET /usage", { key }),
      yield* submit("Will the cup be theirs again?"),
      yield* sendRequest("GET /topics", { key: "garbage" }),
      yield* sendRequest("GET /topics", { key: revoked.full_key }),
      yield* sendRequest("GET /topics"),
      yield* sendRequest("GET /topics?limit=0", { key }),
      yield* sendRequest("GET /topics/unknown", { key }),
      yield* sendRequest(`GET /personas/${unlicensed}`, { key }),
      yield* sendRequest("GET /nowhere", { key }),
      yield* sendRequest("GET /nowhere"),
      yield* sendRequest("PUT /topics", { key }),
      yield* sendRequest("POST /topics", { key, body: "{" }),
      yield* sendRequest("GET /api-keys", { token }),
      yield* sendRequest("GET /api-keys", { token: "garbage" })
    ]
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE topics RENAME TO lost_topics`
    for (const _ of [1, 2, 3, 4, 5]) answers.push(yield* sendRequest("GET /topics", { key }))
    const statuses = new Set(answers.map(({ status }) => status))
    assert.deepStrictEqual([...statuses].sort(), [200, 201, 400, 401, 403, 404, 429, 500])
    for (const answer of answers) {
      for (const value of readRateLimitHeaders(answer))
        assert.isTrue(Number.isInteger(value), formatStatusAndCode(answer))
    }
  })
)

registerServiceTest(
  "8 X-RateLimit-Limit: max requests per hour",
  Effect.gen(function* () {
    for (const [plan, hourly] of tiers) {
      const { key } = yield* on(plan)
      assert.strictEqual(readRateLimitHeaders(yield* sendRequest("GET /usage", { key }))[0], hourly)
    }
  })
)

registerServiceTest(
  "8 X-RateLimit-Remaining: requests left in the window",
  Effect.gen(function* () {
    const { key } = yield* seedPartner({ limits: { requests_per_hour: 3 } })
    for (const left of [2, 1, 0, 0])
      assert.strictEqual(readRateLimitHeaders(yield* sendRequest("GET /usage", { key }))[1], left)
  })
)

registerServiceTest(
  "8 X-RateLimit-Reset: Unix timestamp when the limit resets",
  Effect.gen(function* () {
    const { key } = yield* seedPartner({ limits: { requests_per_hour: 1 } })
    assert.strictEqual(
      readRateLimitHeaders(yield* sendRequest("GET /usage", { key }))[2],
      testClockStartInSeconds + 3600
    )
    yield* TestClock.adjust("59 minutes")
    const last = yield* sendRequest("GET /usage", { key })
    assert.deepStrictEqual([last.status, readRateLimitHeaders(last)[2]], [429, testClockStartInSeconds + 3600])
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key })), "200")
  })
)

registerServiceTest(
  "8 A limited request gets HTTP 429, code rate_limit_exceeded, and a Retry-After header",
  Effect.gen(function* () {
    const { key } = yield* seedPartner({ limits: { requests_per_hour: 1 } })
    yield* sendRequest("GET /usage", { key })
    yield* TestClock.adjust("20 minutes")
    const answer = yield* sendRequest("GET /usage", { key })
    refused(answer, 1)
    assert.strictEqual(answer.headers.get("retry-after"), "2400")
    assert.strictEqual(answer.error.details.retry_after, 2400)
  })
)
