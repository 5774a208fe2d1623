/** Tests the documented decisions about the rate-limit windows of keys, anonymous callers and dashboards. */
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
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

/** Returns the number of requests, out of `count`, that the rate limit did not refuse. */
const passing = Effect.fnUntraced(function* <E, R>(count: number, request: Effect.Effect<ApiResponse, E, R>) {
  const answers = yield* Effect.forEach(Array.from({ length: count }), () => request, { concurrency: 16 })
  return answers.filter(({ status }) => status !== 429).length
})

const over = (address: string) => ({ headers: { "x-forwarded-for": address } })

registerServiceTest(
  "Rate-limit windows: the hourly window starts with the first request and has a fixed length of 3600 seconds",
  Effect.gen(function* () {
    const { key } = yield* seedPartner({ limits: { requests_per_hour: 2 } })
    const usage = sendRequest("GET /usage", { key })
    assert.strictEqual(readRateLimitHeaders(yield* usage)[2], testClockStartInSeconds + 3600)
    yield* TestClock.adjust("59 minutes")
    assert.strictEqual(readRateLimitHeaders(yield* usage)[2], testClockStartInSeconds + 3600)
    yield* TestClock.adjust(59_999)
    assert.strictEqual(formatStatusAndCode(yield* usage), "429 rate_limit_exceeded")
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(readRateLimitHeaders(yield* usage), [2, 1, testClockStartInSeconds + 7200])
  })
)

registerServiceTest(
  "Rate-limit windows: each key has a burst window of 60 seconds",
  Effect.gen(function* () {
    const { key, owner } = yield* seedPartner({ limits: { burst_per_minute: 2 } })
    const usage = sendRequest("GET /usage", { key })
    yield* usage
    yield* TestClock.adjust("50 seconds")
    yield* usage
    yield* TestClock.adjust(9_999)
    assert.strictEqual(formatStatusAndCode(yield* usage), "429 rate_limit_exceeded")
    const other = yield* Seed.issueApiKey(owner)
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: other.text })), "200")
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* passing(3, usage), 2)
  })
)

registerServiceTest(
  "Rate-limit windows: each key has its own window for each limited endpoint",
  Effect.gen(function* () {
    const { key, owner } = yield* seedPartner({ limits: { persona_lists_per_hour: 2, topic_reads_per_hour: 1 } })
    const other = yield* Seed.issueApiKey(owner)
    assert.strictEqual(yield* passing(4, sendRequest("GET /personas", { key })), 2)
    assert.strictEqual(yield* passing(4, sendRequest("GET /personas", { key: other.text })), 2)
    assert.strictEqual(yield* passing(4, sendRequest("GET /topics/unknown", { key })), 1)
    assert.strictEqual(yield* passing(4, sendRequest("GET /topics", { key })), 4)
  })
)

registerServiceTest(
  "Rate-limit windows: the headers describe the hourly window with the fewest requests left, and never the burst window",
  Effect.gen(function* () {
    const limits = { requests_per_hour: 9, persona_lists_per_hour: 4, burst_per_minute: 2 }
    const { key } = yield* seedPartner({ limits })
    assert.deepStrictEqual(readRateLimitHeaders(yield* sendRequest("GET /personas", { key })).slice(0, 2), [4, 3])
    assert.deepStrictEqual(readRateLimitHeaders(yield* sendRequest("GET /usage", { key })).slice(0, 2), [9, 7])
    const refused = yield* sendRequest("GET /personas", { key })
    assert.deepStrictEqual(
      [refused.status, ...readRateLimitHeaders(refused)],
      [429, 4, 3, testClockStartInSeconds + 3600]
    )
  })
)

registerServiceTest(
  "Rate-limit windows: the error of a burst refusal has the burst limit, and Retry-After is in whole seconds",
  Effect.gen(function* () {
    const { key } = yield* seedPartner({ limits: { burst_per_minute: 1 } })
    yield* sendRequest("GET /usage", { key })
    yield* TestClock.adjust(29_500)
    const { error, headers } = yield* sendRequest("GET /usage", { key })
    assert.deepStrictEqual(error.details, { retry_after: 31, limit: 1, remaining: 0 })
    assert.strictEqual(headers.get("retry-after"), "31")
  })
)

registerServiceTest(
  "Rate-limit windows: a request that the burst limit refuses does not count in the hourly window",
  Effect.gen(function* () {
    const { key } = yield* seedPartner({ limits: { requests_per_hour: 5, burst_per_minute: 2 } })
    const usage = sendRequest("GET /usage", { key })
    assert.strictEqual(yield* passing(10, usage), 2)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(readRateLimitHeaders(yield* usage)[1], 2)
  })
)

registerServiceTest(
  "Rate-limit windows: exactly 50 of 100 concurrent requests pass a limit of 50",
  Effect.gen(function* () {
    const { key } = yield* seedPartner({ limits: { requests_per_hour: 50 } })
    assert.strictEqual(yield* passing(100, sendRequest("GET /usage", { key })), 50)
  })
)

registerServiceTest(
  "Unauthenticated requests: each client address may send 60 requests a minute, and the responses have rate-limit headers",
  Effect.gen(function* () {
    const stranger = sendRequest("GET /topics", over("203.0.113.7"))
    assert.deepStrictEqual(readRateLimitHeaders(yield* stranger), [300, 299, testClockStartInSeconds + 3600])
    assert.strictEqual(yield* passing(99, stranger), 59)
    const refused = yield* stranger
    assert.strictEqual(formatStatusAndCode(refused), "429 rate_limit_exceeded")
    assert.deepStrictEqual(refused.error.details, { retry_after: 60, limit: 60, remaining: 0 })
    assert.strictEqual(refused.headers.get("retry-after"), "60")
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("GET /api-keys", over("203.0.113.7"))),
      "429 rate_limit_exceeded"
    )
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /topics", over("203.0.113.8"))), "401 unauthorized")
  })
)

registerServiceTest(
  "Unauthenticated requests: each client address may send 300 requests an hour",
  Effect.gen(function* () {
    const stranger = sendRequest("GET /topics", { key: "garbage", ...over("203.0.113.7") })
    for (let minute = 0; minute < 5; minute++) {
      assert.strictEqual(yield* passing(60, stranger), 60)
      yield* TestClock.adjust("1 minute")
    }
    const refused = yield* stranger
    assert.deepStrictEqual(refused.error.details, { retry_after: 3300, limit: 300, remaining: 0 })
  })
)

registerServiceTest(
  "Unauthenticated requests: all IPv6 addresses of one /64 network share a limit",
  Effect.gen(function* () {
    assert.strictEqual(yield* passing(60, sendRequest("GET /topics", over("2001:db8:1:2::1"))), 60)
    assert.strictEqual(yield* passing(1, sendRequest("GET /topics", over("2001:db8:1:2:ffff::9"))), 0)
    assert.strictEqual(yield* passing(1, sendRequest("GET /topics", over("2001:db8:1:3::1"))), 1)
  })
)

registerServiceTest(
  "Unauthenticated requests: a request with a valid key succeeds even if its address is over the limit",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const from = over("203.0.113.7")
    assert.strictEqual(yield* passing(70, sendRequest("GET /topics", from)), 60)
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /topics", { key, ...from })), "200")
  })
)

registerServiceTest(
  "Unauthenticated requests: the rate limits do not apply to openapi.json, docs, the creator portal and health checks",
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const from = over("203.0.113.7")
    yield* passing(61, sendRequest("GET /topics", from))
    for (const path of ["/openapi.json", "/docs", "/creator/none", "/healthz", "/readyz"]) {
      for (const _ of [1, 2]) {
        const { headers, status } = yield* call(path, from)
        assert.strictEqual(status, path === "/creator/none" ? 404 : 200, path)
        assert.isNull(headers.get("x-ratelimit-limit"), path)
      }
    }
  })
)

registerServiceTest(
  "Dashboard requests: all tokens of an organization share the plan's limits, and do not count in the rate windows of the organization's keys",
  Effect.gen(function* () {
    const { key, owner, token } = yield* seedPartner({ limits: {} })
    assert.strictEqual(readRateLimitHeaders(yield* sendRequest("GET /usage", { key }))[1], 999)
    assert.deepStrictEqual(readRateLimitHeaders(yield* sendRequest("GET /api-keys", { token })), [
      1000,
      999,
      testClockStartInSeconds + 3600
    ])
    const colleague = yield* Seed.issueDashboardToken(owner, { subject: "bo" })
    assert.strictEqual(readRateLimitHeaders(yield* sendRequest("GET /api-keys", { token: colleague }))[1], 998)
    assert.strictEqual(yield* passing(150, sendRequest("GET /api-keys", { token })), 98)
    const refused = yield* sendRequest("GET /api-keys", { token: colleague })
    assert.deepStrictEqual(refused.error.details, { retry_after: 60, limit: 100, remaining: 0 })
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key })), "200")
    const { token: premium } = yield* seedPartner({ plan: "premium", limits: {} })
    assert.strictEqual(readRateLimitHeaders(yield* sendRequest("GET /api-keys", { token: premium }))[0], 5000)
  })
)
