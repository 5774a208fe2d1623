/**
 * Tests GET /metrics/performance through the whole service. Known actions at known times produce the expected metrics.
 */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import { actAsCreator, findCreatorToken, getJson, submitTopic, waitForStatus } from "../support/Requests.ts"

const at = (moment: string) => TestClock.setTime(Date.parse(moment))
const perspective = "They will win it, and by some distance."

const none = {
  sent: 0,
  pending: 0,
  approved: 0,
  declined: 0,
  expired: 0,
  generation_failed: 0,
  approval_timeout: 0,
  withdrawn: 0,
  cancelled: 0
}
const unmeasured = { count: 0, median: null, p90: null }
const nothing = {
  counts: none,
  response_time: unmeasured,
  generation_time: unmeasured,
  approval_time: unmeasured
}

const metrics = (key: string, query = "") =>
  Effect.map(getJson(key, `/metrics/performance${query}`), ({ data }) => data)

it.effect("the metrics cover the topics that were sent in the period, in total and for each persona", () =>
  Effect.gen(function* () {
    yield* at("2026-03-01T09:00:00.000Z")
    const generator = yield* ScriptedGenerator
    const owner = yield* Seed.createOrganization()
    const bo = yield* Seed.createPersona(owner, { name: "Bo Lindqvist" })
    const ada = yield* Seed.createPersona(owner, { name: "Ada Vance" })
    const { text: key } = yield* Seed.issueApiKey(owner)
    const [title, relegation, cup] = ["Who takes the title?", "And who goes down?", "Who lifts the cup?"] as const

    const first = yield* submitTopic(key, title, [ada, bo])
    const second = yield* submitTopic(key, relegation, [ada, bo])
    const [firstOfAda, secondOfAda] = [yield* findCreatorToken(ada, title), yield* findCreatorToken(ada, relegation)]
    const firstOfBo = yield* findCreatorToken(bo, title)

    yield* at("2026-03-01T10:00:00.000Z")
    yield* actAsCreator(firstOfAda, "respond", { perspective })
    yield* actAsCreator(firstOfBo, "decline")
    yield* waitForStatus(key, first, ada, "commentary_generated")
    yield* at("2026-03-01T10:30:00.250Z")
    yield* actAsCreator(firstOfAda, "approve")

    // The first attempt fails and is retried a minute later. The creator requests another draft before the approval.
    yield* at("2026-03-01T12:00:00.000Z")
    yield* generator.failNext({ permanent: false })
    yield* actAsCreator(secondOfAda, "respond", { perspective })
    yield* eventually(
      "the failed attempt",
      Effect.map(generator.requests, ({ length }) => length === 2)
    )
    yield* getJson(key, `/topics/${second}/status`)
    yield* TestClock.adjust("1 minute")
    yield* waitForStatus(key, second, ada, "commentary_generated")
    yield* at("2026-03-01T12:06:00.000Z")
    yield* actAsCreator(secondOfAda, "revise", { instructions: "Shorter." })
    const { call } = yield* TestApi
    const draft = yield* eventually(
      "the second draft",
      Effect.map(
        Effect.flatMap(call(`/creator/${secondOfAda}`, { headers: { accept: "application/json" } }), readJson),
        ({ data }) => (data.draft.number === 2 ? data.draft : undefined)
      )
    )
    yield* at("2026-03-01T12:11:00.000Z")
    yield* actAsCreator(secondOfAda, "approve", { draft_id: draft.id })

    const figuresOfAda = {
      counts: { ...none, sent: 2, approved: 2 },
      response_time: { count: 2, median: 3600, p90: 10_800 },
      generation_time: { count: 2, median: 0, p90: 60 },
      approval_time: { count: 2, median: 600, p90: 1800.25 }
    }
    const figuresOfBo = { ...nothing, counts: { ...none, sent: 2, pending: 1, declined: 1 } }
    const expected = {
      period: { start: "2026-01-30T00:00:00.000Z", end: "2026-03-01T12:11:00.000Z" },
      overall: { ...figuresOfAda, counts: { ...none, sent: 4, pending: 1, approved: 2, declined: 1 } },
      personas: [
        { persona_id: ada.id, persona_name: "Ada Vance", ...figuresOfAda },
        { persona_id: bo.id, persona_name: "Bo Lindqvist", ...figuresOfBo }
      ]
    }
    assert.deepStrictEqual(yield* metrics(key), expected)

    // A topic that is sent after the period does not change the metrics of the period. A topic counts in the period in
    // which it was sent, not in the period of its outcome.
    yield* submitTopic(key, cup, [bo])
    const march = yield* metrics(key, "?from=2026-03-01T09:00:00Z&to=2026-03-01T12:11:00.000Z")
    assert.deepStrictEqual(march.overall, expected.overall)
    yield* at("2026-03-04T12:11:00.000Z")
    yield* eventually(
      "both expired",
      Effect.map(metrics(key), ({ overall }) => overall.counts.expired === 2)
    )
    const later = yield* metrics(key, "?from=2026-03-01T13%3A11%3A00%2B01:00")
    assert.deepStrictEqual(later.overall, { ...nothing, counts: { ...none, sent: 1, expired: 1 } })
    assert.deepStrictEqual(
      later.personas.map(({ persona_id }: { persona_id: string }) => persona_id),
      [bo.id]
    )
    assert.deepStrictEqual((yield* metrics(key, "?to=2026-03-01T09:00:00Z")).overall, nothing)
    const { period } = yield* metrics(key, "?from=2026-03-01T09:00:00.000001Z&to=2026-03-01T12:11:00.000001Z")
    assert.deepStrictEqual(period, { start: "2026-03-01T09:00:00.001Z", end: "2026-03-01T12:11:00.001Z" })
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("failed assignments are counted by their failure reason", () =>
  Effect.gen(function* () {
    yield* at("2026-03-01T09:00:00.000Z")
    const generator = yield* ScriptedGenerator
    const owner = yield* Seed.createOrganization()
    const personas = yield* Effect.forEach(["Ada", "Bo", "Cy"], (name) => Seed.createPersona(owner, { name }))
    const { text: key } = yield* Seed.issueApiKey(owner)
    const topic = yield* submitTopic(key, "Who takes the title?", personas)
    const [ada, bo, cy] = personas as [(typeof personas)[0], (typeof personas)[0], (typeof personas)[0]]
    yield* generator.failNext({ permanent: true })
    yield* actAsCreator(yield* findCreatorToken(ada, "the title"), "respond", { perspective })
    yield* eventually(
      "the failed attempt",
      Effect.map(generator.requests, ({ length }) => length === 1)
    )
    for (const persona of [bo, cy]) {
      yield* actAsCreator(yield* findCreatorToken(persona, "the title"), "respond", { perspective })
      yield* waitForStatus(key, topic, persona, "commentary_generated")
    }
    yield* actAsCreator(yield* findCreatorToken(bo, "the title"), "withdraw")
    yield* at("2026-03-09T09:00:00.000Z")
    const counts = { ...none, sent: 3, generation_failed: 1, approval_timeout: 1, withdrawn: 1 }
    yield* eventually(
      "all settled",
      Effect.map(metrics(key), ({ overall }) => overall.counts.pending === 0)
    )
    assert.deepStrictEqual((yield* metrics(key)).overall.counts, counts)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a key sees only the metrics of its own organization and environment, and needs the scope usage:read", () =>
  Effect.gen(function* () {
    yield* at("2026-03-01T09:00:00.000Z")
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const live = yield* Seed.issueApiKey(owner)
    yield* submitTopic(live.text, "Who takes the title?", [persona])
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* metrics(live.text)).overall.counts.sent, 1)
    for (const { text } of [
      yield* Seed.issueApiKey(owner, { environment: "test" }),
      yield* Seed.issueApiKey(yield* Seed.createOrganization({ name: "Other" }))
    ]) {
      const { overall, personas } = yield* metrics(text)
      assert.deepStrictEqual([overall, personas], [nothing, []])
    }
    const { text: key } = yield* Seed.issueApiKey(owner, { scopes: ["topics:read", "topics:submit", "personas:read"] })
    const denied = yield* call("/partner/v1/metrics/performance?from=nonsense", { key })
    assert.deepStrictEqual([denied.status, (yield* readJson(denied)).error.code], [401, "scope_denied"])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an invalid period is refused, and the response lists all problems", () =>
  Effect.gen(function* () {
    yield* at("2026-03-01T09:00:00.000Z")
    const { call } = yield* TestApi
    const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization())
    const refusals = {
      "?from=yesterday": ["from"],
      "?from=2026-02-30T00:00:00Z&to=2026-03-01": ["from", "to"],
      "?to=": ["to"],
      "?from=2026-03-01T09:00:00Z": ["from", "to"],
      "?from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z": ["from", "to"],
      "?from=2025-01-01T00:00:00Z&to=2026-01-02T00:00:00.001Z": ["from", "to"],
      "?from=2026-01-01T00:00:00Z&from=2026-01-02T00:00:00Z": ["from"]
    }
    for (const [query, fields] of Object.entries(refusals)) {
      const answer = yield* call(`/partner/v1/metrics/performance${query}`, { key })
      const { error } = yield* readJson(answer)
      assert.deepStrictEqual([answer.status, error.code], [400, "invalid_request"], query)
      assert.deepStrictEqual(
        error.details.errors.map(({ field }: { field: string }) => field),
        fields,
        query
      )
    }
    const year = yield* metrics(key, "?from=2025-01-01T00:00:00Z&to=2026-01-02T00:00:00.000Z&unknown=1")
    assert.deepStrictEqual(year.period, { start: "2025-01-01T00:00:00.000Z", end: "2026-01-02T00:00:00.000Z" })
  }).pipe(Effect.provide(InMemory.layer))
)
