/** Specification, sections 2 and 4: GET /usage and the Usage object. */
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import {
  act,
  ask,
  conforms,
  creatorToken,
  partner,
  reached,
  start,
  timestamp,
  told
} from "../support/conformance/Dashboard.ts"

const integers = (value: object, names: ReadonlyArray<string>) => {
  assert.deepStrictEqual(Object.keys(value), names)
  for (const number of Object.values(value)) assert.isTrue(Number.isInteger(number))
}

conforms(
  "4 GET /usage: scope usage:read",
  Effect.gen(function* () {
    const { owner } = yield* partner()
    const reader = yield* Seed.key(owner, { scopes: ["usage:read"] })
    const others = yield* Seed.key(owner, { scopes: ["personas:read", "topics:submit", "topics:read"] })
    assert.strictEqual(told(yield* ask("GET /usage", { key: reader.text })), "200")
    assert.strictEqual(told(yield* ask("GET /usage", { key: others.text })), "401 scope_denied")
  })
)

conforms(
  "4 GET /usage: response data is a Usage object, of period, usage, quotas and remaining",
  Effect.gen(function* () {
    const { key } = yield* partner()
    const { body, data } = yield* ask("GET /usage", { key })
    assert.deepStrictEqual(Object.keys(body), ["success", "data"])
    assert.strictEqual(body.success, true)
    assert.sameMembers(Object.keys(data), ["period", "usage", "quotas", "remaining"])
  })
)

conforms(
  "2 Usage: period is an object of start and end, timestamps of the current billing period",
  Effect.gen(function* () {
    const { key } = yield* partner()
    const { period } = (yield* ask("GET /usage", { key })).data
    assert.deepStrictEqual(Object.keys(period), ["start", "end"])
    for (const moment of Object.values(period)) assert.match(String(moment), timestamp)
    assert.isTrue(Date.parse(period.start) <= start && start < Date.parse(period.end))
  })
)

conforms(
  "2 Usage: usage is an object of topics_created, commentaries_generated and api_calls, integers",
  Effect.gen(function* () {
    const { key, persona, submit } = yield* partner()
    const usage = Effect.map(ask("GET /usage", { key }), ({ data }) => data.usage)
    const before = yield* usage
    integers(before, ["topics_created", "commentaries_generated", "api_calls"])
    assert.deepStrictEqual(before, { topics_created: 0, commentaries_generated: 0, api_calls: 1 })
    const { data } = yield* submit("Will the cup be theirs again?")
    yield* act(yield* creatorToken(persona.creator.email), "respond", { perspective: "Theirs, by some distance." })
    yield* reached(key, data.topic_id, "commentary_generated")
    const after = yield* usage
    assert.deepInclude(after, { topics_created: 1, commentaries_generated: 1 })
    assert.isAtLeast(after.api_calls, 4)
  })
)

conforms(
  "2 Usage: quotas is an object of topics_per_month, commentaries_per_month and api_calls_per_hour, integers",
  Effect.gen(function* () {
    const { key } = yield* partner()
    const { quotas } = (yield* ask("GET /usage", { key })).data
    integers(quotas, ["topics_per_month", "commentaries_per_month", "api_calls_per_hour"])
  })
)

conforms(
  "2 Usage: remaining is an object of topics and commentaries, integers",
  Effect.gen(function* () {
    const { key, submit } = yield* partner()
    const before = (yield* ask("GET /usage", { key })).data.remaining
    integers(before, ["topics", "commentaries"])
    yield* submit("Will the cup be theirs again?")
    const after = (yield* ask("GET /usage", { key })).data.remaining
    assert.deepStrictEqual(after, { topics: before.topics - 1, commentaries: before.commentaries - 1 })
  })
)
