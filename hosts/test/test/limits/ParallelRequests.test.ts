/**
 * Tests limits under 100 concurrent requests, each over a separate socket. The number of admitted requests equals the
 * limit, and the headers count down without gaps.
 */
import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import type { OrganizationLimits } from "@partner-commentary/core/partner/Plan"
import { ApiKeyId } from "@partner-commentary/core/shared/Ids"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { readJson } from "../support/Json.ts"

const start = Date.UTC(2026, 0, 30, 12)

const behindProxy = TestApi.layerHttp.pipe(
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })),
  Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(IpAllowList.parseAllowList(["127.0.0.1"]))))
)

const number = (response: Response, header: string) => Number(response.headers.get(header))

interface Wanted {
  /** The status of a call that is admitted. */
  readonly status: number
  /** The number of calls, out of 100, that are admitted. */
  readonly pass: number
  /** The hourly limit in the rate-limit headers. */
  readonly hourly: number
  /** The exceeded limit in a refused response. */
  readonly limit: number
  /** The number of seconds until the retry that a refused response allows. */
  readonly wait: number
}

const countdown = (from: number, length: number) => Array.from({ length }, (_, index) => from - 1 - index)

/** Sends 100 concurrent requests. The parameter `nth` is the number of a request, from 0 to 99. */
const sendConcurrently = (requests: (nth: number) => readonly [path: string, call: TestApiCall]) =>
  Effect.flatMap(TestApi, ({ call }) =>
    Effect.all(
      Array.from({ length: 100 }, (_, nth) => {
        const [path, more] = requests(nth)
        return call(`/partner/v1${path}`, more)
      }),
      { concurrency: "unbounded" }
    )
  )

const judge = Effect.fnUntraced(function* (responses: ReadonlyArray<Response>, wanted: Wanted) {
  const { hourly, limit, pass, status, wait } = wanted
  const passed = responses.filter((response) => response.status === status)
  const refused = responses.filter((response) => response.status === 429)
  assert.deepStrictEqual([passed.length, refused.length], [pass, 100 - pass])
  const left = (response: Response) => number(response, "x-ratelimit-remaining")
  assert.deepStrictEqual(
    passed.map(left).toSorted((one, other) => other - one),
    countdown(hourly, pass)
  )
  assert.deepStrictEqual(new Set(refused.map(left)), new Set([hourly - pass]))
  for (const response of responses) {
    assert.strictEqual(number(response, "x-ratelimit-limit"), hourly)
    assert.strictEqual(number(response, "x-ratelimit-reset"), start / 1000 + 3600)
  }
  for (const response of refused) {
    assert.strictEqual(number(response, "retry-after"), wait)
    const { code, details } = (yield* readJson(response)).error
    assert.deepStrictEqual([code, details], ["rate_limit_exceeded", { retry_after: wait, limit, remaining: 0 }])
  }
})

const scene = (limits: Partial<OrganizationLimits>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const owner = yield* Seed.createOrganization({ limits: { burst_per_minute: 1000, ...limits } })
    return { owner, persona: yield* Seed.createPersona(owner), key: (yield* Seed.issueApiKey(owner)).text }
  })

const ofFifty = { pass: 50, hourly: 50, limit: 50, wait: 3600 }

const it100 = (limit: string, test: Effect.Effect<void, unknown, Layer.Success<typeof behindProxy>>) =>
  it.effect(`of 100 concurrent requests, the service admits exactly as many as ${limit}`, () =>
    Effect.provide(test, behindProxy)
  )

it100(
  "a key may send in an hour",
  Effect.gen(function* () {
    const { key } = yield* scene({ requests_per_hour: 50 })
    yield* judge(yield* sendConcurrently(() => ["/usage", { key }]), { ...ofFifty, status: 200 })
  })
)

it100(
  "a key may send in a minute, and the headers show its hourly window",
  Effect.gen(function* () {
    const { key } = yield* scene({ burst_per_minute: 50 })
    const wanted = { status: 200, pass: 50, hourly: 1000, limit: 50, wait: 60 }
    yield* judge(yield* sendConcurrently(() => ["/usage", { key }]), wanted)
  })
)

it100(
  "a key and its successor may send together",
  Effect.gen(function* () {
    const { owner } = yield* scene({ requests_per_hour: 50 })
    const old = yield* Seed.issueApiKey(owner)
    const manager = { by: "operator", organizationId: owner.id }
    const rotated = yield* (yield* ApiKeys).rotate(ApiKeyId.make(old.id), Duration.days(1), manager)
    const keys = [old.text, Redacted.value(rotated.fullKey)]
    const responses = yield* sendConcurrently((nth) => ["/usage", { key: keys[nth % 2] ?? "" }])
    yield* judge(responses, { ...ofFifty, status: 200 })
  })
)

it100(
  "GET /personas allows in an hour",
  Effect.gen(function* () {
    const { key } = yield* scene({ persona_lists_per_hour: 50 })
    yield* judge(yield* sendConcurrently(() => ["/personas", { key }]), { ...ofFifty, status: 200 })
  })
)

it100(
  "POST /topics allows in an hour, and no further topic is created",
  Effect.gen(function* () {
    const { key, persona } = yield* scene({ topic_submissions_per_hour: 50 })
    const body = (nth: number) => ({ content: `Who wins match number ${nth}?`, persona_ids: [persona.id] })
    const responses = yield* sendConcurrently((nth) => ["/topics", { method: "POST", key, body: body(nth) }])
    yield* judge(responses, { ...ofFifty, status: 201 })
    const { call } = yield* TestApi
    const { pagination } = yield* readJson(yield* call("/partner/v1/topics", { key }))
    assert.strictEqual(pagination.total, 50)
  })
)

it100(
  "GET /topics/{id} allows in an hour for all topics together",
  Effect.gen(function* () {
    const { key } = yield* scene({ topic_reads_per_hour: 50 })
    yield* judge(yield* sendConcurrently((nth) => [`/topics/${nth}`, { key }]), { ...ofFifty, status: 404 })
  })
)

it100(
  "a dashboard may send in an hour with all its tokens, without using the limits of its organization's keys",
  Effect.gen(function* () {
    const { key, owner } = yield* scene({ requests_per_hour: 50 })
    const tokens = yield* Effect.forEach(["ada", "bo"], (subject) => Seed.issueDashboardToken(owner, { subject }))
    const responses = yield* sendConcurrently((nth) => ["/api-keys", { token: tokens[nth % 2] ?? "" }])
    yield* judge(responses, { ...ofFifty, status: 200 })
    yield* judge(yield* sendConcurrently(() => ["/usage", { key }]), { ...ofFifty, status: 200 })
  })
)

it100(
  "an anonymous address may send in a minute with any credentials, and other callers are not delayed",
  Effect.gen(function* () {
    const { key, owner } = yield* scene({})
    const token = yield* Seed.issueDashboardToken(owner)
    const headers = { "x-forwarded-for": "203.0.113.7" }
    const calls: ReadonlyArray<readonly [string, TestApiCall]> = [
      ["/topics", { headers }],
      ["/topics", { headers, key: "garbage" }],
      ["/topics", { headers, token }],
      ["/api-keys", { headers, key }],
      ["/api-keys", { headers, token: "a.b.c", method: "POST", body: {} }]
    ]
    const responses = yield* sendConcurrently((nth) => calls[nth % calls.length] ?? ["/", {}])
    yield* judge(responses, { status: 401, pass: 60, hourly: 300, limit: 60, wait: 60 })
    const { call } = yield* TestApi
    assert.strictEqual((yield* call("/partner/v1/topics", { headers, key })).status, 200)
    assert.strictEqual((yield* call("/partner/v1/api-keys", { headers, token })).status, 200)
    const other = { "x-forwarded-for": "203.0.113.8" }
    assert.strictEqual((yield* call("/partner/v1/topics", { headers: other })).status, 401)
  })
)
