/** Tests rate limits: which calls count in which window, the format of a refusal, and the headers of every response. */
import { assert, it } from "@effect/vitest"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as Application from "@partner-commentary/test/Application"
import * as InMemory from "@partner-commentary/test/InMemory"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { readJson } from "../support/Json.ts"
import { layerTestApi } from "../support/Loopback.ts"

const start = Date.UTC(2026, 0, 30, 12)

/** The callers are behind a proxy that forwards their addresses. */
const behindProxy = layerTestApi.pipe(
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })),
  Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(IpAllowList.parseAllowList(["127.0.0.1"]))))
)

const limited = <A, E>(
  test: (call: TestApi["Service"]["call"]) => Effect.Effect<A, E, Layer.Success<typeof InMemory.layer>>,
  layer: typeof InMemory.layer | typeof behindProxy = InMemory.layer
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { call } = yield* TestApi
    return yield* test((path, init) => call(`/partner/v1${path}`, init))
  }).pipe(Effect.provide(layer as typeof InMemory.layer))

const told = (response: Response) =>
  ["limit", "remaining", "reset"].map((name) => Number(response.headers.get(`x-ratelimit-${name}`)))

const seconds = start / 1000

it.effect("only 50 of 100 concurrent requests pass a limit of 50, and the headers count down without a gap", () =>
  limited((call) =>
    Effect.gen(function* () {
      const owner = yield* Seed.createOrganization({ limits: { requests_per_hour: 50 } })
      const { text: key } = yield* Seed.issueApiKey(owner)
      const responses = yield* Effect.all(
        Array.from({ length: 100 }, () => call("/personas", { key })),
        { concurrency: "unbounded" }
      )
      const passed = responses.filter(({ status }) => status === 200)
      const refused = responses.filter(({ status }) => status === 429)
      assert.deepStrictEqual([passed.length, refused.length], [50, 50])
      const remaining = passed.map((response) => told(response)[1] ?? -1).toSorted((one, other) => other - one)
      assert.deepStrictEqual(
        remaining,
        Array.from({ length: 50 }, (_, index) => 49 - index)
      )
      for (const response of responses)
        assert.deepStrictEqual([told(response)[0], told(response)[2]], [50, seconds + 3600])
    })
  )
)

it.effect("a standard key allows 1000 requests an hour and 100 a minute, and a premium key allows 5000 and 500", () =>
  limited((call) =>
    Effect.gen(function* () {
      for (const [plan, hourly, burst] of [
        ["standard", 1000, 100],
        ["premium", 5000, 500]
      ] as const) {
        const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization({ plan, limits: {} }))
        for (let count = 1; count <= burst; count++) {
          const response = yield* call("/usage", { key })
          assert.deepStrictEqual([response.status, ...told(response)], [200, hourly, hourly - count, seconds + 3600])
        }
        const refused = yield* call("/usage", { key })
        assert.strictEqual(refused.status, 429)
        assert.strictEqual(refused.headers.get("retry-after"), "60")
        assert.deepStrictEqual(told(refused), [hourly, hourly - burst, seconds + 3600])
        const { error } = yield* readJson(refused)
        assert.deepStrictEqual(error.code, "rate_limit_exceeded")
        assert.deepStrictEqual(error.details, { retry_after: 60, limit: burst, remaining: 0 })
      }
    })
  )
)

it.effect("a rate window starts with the first request and has a fixed length, and refused requests do not count", () =>
  limited((call) =>
    Effect.gen(function* () {
      const { text: key } = yield* Seed.issueApiKey(
        yield* Seed.createOrganization({ limits: { requests_per_hour: 2 } })
      )
      yield* call("/usage", { key })
      yield* TestClock.adjust("50 minutes")
      yield* call("/usage", { key })
      for (const _ of [1, 2, 3]) {
        const refused = yield* call("/usage", { key })
        assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [429, "600"])
        assert.deepStrictEqual((yield* readJson(refused)).error.details, { retry_after: 600, limit: 2, remaining: 0 })
      }
      yield* TestClock.adjust(10 * 60_000 - 1)
      const last = yield* call("/usage", { key })
      assert.deepStrictEqual([last.status, last.headers.get("retry-after")], [429, "1"])
      yield* TestClock.adjust(1)
      const next = yield* call("/usage", { key })
      assert.deepStrictEqual([next.status, ...told(next)], [200, 2, 1, seconds + 7200])
    })
  )
)

it.effect("some operations have their own limits, and the headers show the window with the fewest calls left", () =>
  limited((call) =>
    Effect.gen(function* () {
      const owner = yield* Seed.createOrganization({
        limits: {
          topic_submissions_per_hour: 1,
          persona_lists_per_hour: 2,
          topic_reads_per_hour: 3,
          requests_per_hour: 90
        }
      })
      const { text: key } = yield* Seed.issueApiKey(owner)
      const persona = yield* Seed.createPersona(owner)
      const body = { content: "Will the Lakers make the play-offs?", persona_ids: [persona.id] }
      const created = yield* call("/topics", { method: "POST", key, body })
      assert.deepStrictEqual([created.status, ...told(created)], [201, 1, 0, seconds + 3600])
      const { data } = yield* readJson(created)
      const again = yield* call("/topics", {
        method: "POST",
        key,
        body: { ...body, content: "Something else entirely?" }
      })
      assert.deepStrictEqual([again.status, ...told(again)], [429, 1, 0, seconds + 3600])
      assert.deepStrictEqual((yield* readJson(again)).error.details, { retry_after: 3600, limit: 1, remaining: 0 })
      for (const left of [1, 0]) assert.deepStrictEqual(told(yield* call("/personas", { key }))[1], left)
      assert.strictEqual((yield* call("/personas", { key })).status, 429)
      for (const left of [2, 1, 0])
        assert.deepStrictEqual(told(yield* call(`/topics/${data.topic_id}`, { key }))[1], left)
      assert.strictEqual((yield* call(`/topics/${data.topic_id}`, { key })).status, 429)
      // The hourly window has counted 1 + 2 + 3 earlier calls, because refused calls did not count in this window.
      const other = yield* call(`/topics/${data.topic_id}/status`, { key })
      assert.deepStrictEqual([other.status, ...told(other)], [200, 90, 83, seconds + 3600])
      const second = yield* Seed.issueApiKey(owner)
      assert.strictEqual((yield* call("/personas", { key: second.text })).status, 200)
    })
  )
)

it.effect("rate limits are checked after the API key, and before the scope and the request body", () =>
  limited((call) =>
    Effect.gen(function* () {
      const owner = yield* Seed.createOrganization({ limits: { requests_per_hour: 2 } })
      const { text: key } = yield* Seed.issueApiKey(owner, { scopes: [] })
      for (const left of [1, 0]) {
        const denied = yield* call("/topics", { key })
        assert.deepStrictEqual([denied.status, told(denied)[1]], [401, left])
        assert.strictEqual((yield* readJson(denied)).error.code, "scope_denied")
      }
      const refused = yield* call("/topics", { method: "POST", key, body: "not JSON" })
      assert.strictEqual(refused.status, 429)
      const expired = yield* Seed.issueApiKey(owner, { expiresAt: start - 1 })
      assert.strictEqual((yield* call("/topics", { key: expired.text })).status, 401)
    })
  )
)

it.effect("every response contains rate-limit headers, also for errors, unknown paths and unreadable bodies", () =>
  limited((call) =>
    Effect.gen(function* () {
      const { text: key } = yield* Seed.issueApiKey(
        yield* Seed.createOrganization({ limits: { requests_per_hour: 1000, topic_submissions_per_hour: 5000 } })
      )
      const attempts: ReadonlyArray<Effect.Effect<Response>> = [
        call("/usage", { key }),
        call("/topics", { key, method: "POST", body: "{" }),
        call("/topics", { key, method: "POST", body: "x".repeat(300 * 1024) }),
        call("/topics/none", { key }),
        call("/nowhere", { key }),
        call("/topics;x", { key }),
        call("/topics", { key, method: "DELETE" }),
        call("/usage?x=1", { key, method: "HEAD" })
      ]
      let left = 1000
      for (const attempt of attempts) {
        left -= 1
        assert.deepStrictEqual(told(yield* attempt), [1000, left, seconds + 3600])
      }
    })
  )
)

const over = (address: string) => ({ headers: { "x-forwarded-for": address } })

it.effect("anonymous callers are limited by address to 60 requests a minute and 300 an hour", () =>
  limited(
    (call) =>
      Effect.gen(function* () {
        const owner = yield* Seed.createOrganization()
        const { text: key } = yield* Seed.issueApiKey(owner)
        const stranger = over("203.0.113.7")
        for (let minute = 0; minute < 5; minute++) {
          for (let count = 1; count <= 60; count++) {
            const path = count % 2 === 0 ? "/nowhere" : "/topics"
            const response = yield* call(path, stranger)
            assert.strictEqual(response.status, count % 2 === 0 ? 404 : 401)
            assert.deepStrictEqual(told(response), [300, 300 - minute * 60 - count, seconds + 3600])
          }
          const refused = yield* call("/topics", stranger)
          assert.deepStrictEqual([refused.status, (yield* readJson(refused)).error.code], [429, "rate_limit_exceeded"])
          yield* TestClock.adjust("1 minute")
        }
        const refused = yield* call("/topics", stranger)
        assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [429, String(55 * 60)])
        assert.strictEqual((yield* call("/nowhere", stranger)).status, 429)
        assert.strictEqual((yield* call("/topics", over("203.0.113.8"))).status, 401)
        // A call with a valid key does not count toward the address's anonymous limit.
        const known = yield* call("/topics", { key, ...stranger, headers: { ...stranger.headers } })
        assert.strictEqual(known.status, 200)
        const lost = yield* call("/nowhere", { key, headers: { ...stranger.headers } })
        assert.strictEqual(lost.status, 404)
      }),
    behindProxy
  )
)

it.effect("health checks, the avatar and creators' pages have no rate limits and no rate-limit headers", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    for (const path of ["/healthz", "/readyz", "/avatar.svg", "/creator/none"]) {
      const response = yield* call(path)
      assert.isNull(response.headers.get("x-ratelimit-limit"), path)
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the RateLimit header of a bulk response contains the latest state of every window", () =>
  limited((call) =>
    Effect.gen(function* () {
      const limits = { requests_per_hour: 50, burst_per_minute: 9, topic_submissions_per_hour: 40 }
      const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization({ limits }), { environment: "test" })
      const topics = ["Who wins the derby?", "Who wins the cup?"].map((content) => ({
        content,
        persona_ids: ["7e570000-0000-4000-8000-000000000001"]
      }))
      const response = yield* call("/topics/bulk", { method: "POST", key, body: { topics } })
      assert.strictEqual(response.status, 200)
      assert.strictEqual(
        response.headers.get("ratelimit"),
        '"requests_per_hour";r=49;t=3600, "burst_per_minute";r=8;t=60, "topic_submissions_per_hour";r=38;t=3600'
      )
    })
  )
)

it.effect("the headers RateLimit and RateLimit-Policy contain every window that counted the request", () =>
  limited((call) =>
    Effect.gen(function* () {
      const limits = { requests_per_hour: 50, burst_per_minute: 2, persona_lists_per_hour: 40 }
      const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization({ limits }))
      const fields = (response: Response) => [
        response.headers.get("ratelimit-policy"),
        response.headers.get("ratelimit")
      ]
      const policy = '"requests_per_hour";q=50;w=3600, "burst_per_minute";q=2;w=60'
      assert.deepStrictEqual(fields(yield* call("/topics", { key })), [
        policy,
        '"requests_per_hour";r=49;t=3600, "burst_per_minute";r=1;t=60'
      ])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(fields(yield* call("/personas", { key })), [
        `${policy}, "persona_lists_per_hour";q=40;w=3600`,
        '"requests_per_hour";r=48;t=3590, "burst_per_minute";r=0;t=50, "persona_lists_per_hour";r=39;t=3600'
      ])
      const refused = yield* call("/topics", { key })
      assert.strictEqual(refused.status, 429)
      assert.deepStrictEqual(fields(refused), [policy, '"requests_per_hour";r=48;t=3590, "burst_per_minute";r=0;t=50'])
    })
  )
)

it.effect(
  "an organization with a limit above the range of the database's integers fails no other organization's requests",
  () =>
    limited((call) =>
      Effect.gen(function* () {
        const big = yield* Seed.createOrganization({
          limits: { ...Seed.generousLimits, requests_per_hour: 3_000_000_000 }
        })
        const owners = [big, yield* Seed.createOrganization()]
        const keys = yield* Effect.forEach(owners, (owner) => Effect.map(Seed.issueApiKey(owner), ({ text }) => text))
        const responses = yield* Effect.all(
          Array.from({ length: 20 }, (_, index) => call("/usage", { key: keys[index % 2] ?? "" })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([...new Set(responses.map(({ status }) => status))], [200])
      })
    )
)
