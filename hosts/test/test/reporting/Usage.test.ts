/** Tests GET /usage as partners see it. */
import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"

it.effect("usage, quotas and remaining amounts belong to the current month, and the next month starts at zero", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization({ limits: { topics_per_month: 10, requests_per_hour: 70 } })
    const { text: key } = yield* Seed.issueApiKey(owner)
    const test = yield* Seed.issueApiKey(owner, { environment: "test" })
    const personas = yield* Effect.forEach([1, 2, 3], () => Seed.createPersona(owner))
    const submit = (content: string, key: string) =>
      call("/partner/v1/topics", { method: "POST", key, body: { content, persona_ids: personas.map(({ id }) => id) } })
    yield* submit("The first question of the month", key)
    yield* submit("The second question of the month", key)
    yield* submit("A question of the test environment", test.text)
    const usage = (key: string) =>
      Effect.map(Effect.flatMap(call("/partner/v1/usage", { key }), readJson), ({ data }) => data)
    assert.deepStrictEqual(yield* usage(key), {
      period: { start: "2026-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000Z" },
      usage: { topics_created: 2, commentaries_generated: 0, api_calls: 3 },
      quotas: { topics_per_month: 10, commentaries_per_month: 5000, api_calls_per_hour: 70 },
      remaining: { topics: 8, commentaries: 4994 }
    })
    assert.deepStrictEqual((yield* usage(test.text)).usage, {
      topics_created: 1,
      commentaries_generated: 0,
      api_calls: 2
    })
    // The usage report counts each call once, whether or not the service has already stored the count.
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* usage(key)).usage.api_calls, 4)
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* usage(key)).usage.api_calls, 5)
    yield* TestClock.setTime(Date.UTC(2026, 1, 1))
    const february = yield* usage(key)
    assert.deepStrictEqual(february.usage, { topics_created: 0, commentaries_generated: 0, api_calls: 1 })
    assert.deepStrictEqual(february.remaining, { topics: 10, commentaries: 5000 })
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "calls refused by the rate limit count as API calls, and calls without a valid key count for no organization",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
      const { call } = yield* TestApi
      const { text: key } = yield* Seed.issueApiKey(
        yield* Seed.createOrganization({ limits: { requests_per_hour: 2 } })
      )
      const statuses: Array<number> = []
      for (let sent = 1; sent <= 5; sent++) statuses.push((yield* call("/partner/v1/topics", { key })).status)
      assert.deepStrictEqual(statuses, [200, 200, 429, 429, 429])
      yield* call("/partner/v1/topics", { key: `${key.slice(0, -1)}-` })
      yield* TestClock.adjust("1 hour")
      const { data } = yield* readJson(yield* call("/partner/v1/usage", { key }))
      assert.strictEqual(data.usage.api_calls, 6)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the time of a key's last use is updated within seconds", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization()
    const [used, idle] = [yield* Seed.issueApiKey(owner), yield* Seed.issueApiKey(owner)]
    yield* TestClock.setTime(60_000)
    yield* call("/partner/v1/topics", { key: used.text })
    yield* TestClock.adjust("5 seconds")
    const apiKeys = yield* ApiKeys
    const lastUse = (id: string) =>
      Effect.map(apiKeys.list(owner.id), (keys) => keys.find((key) => key.id === id)?.lastUsedAt)
    assert.strictEqual(yield* eventually("the use is written down", lastUse(used.id)), 60_000)
    assert.isNull(yield* lastUse(idle.id))
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the usage endpoint requires the scope usage:read", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization(), { scopes: ["topics:read"] })
    const response = yield* call("/partner/v1/usage", { key })
    assert.deepStrictEqual([response.status, (yield* readJson(response)).error.code], [401, "scope_denied"])
  }).pipe(Effect.provide(InMemory.layer))
)
