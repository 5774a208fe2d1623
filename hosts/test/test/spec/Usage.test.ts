/** Tests sections 2 and 4 of the specification for GET /usage and the Usage object. */
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import {
  actAsCreator,
  findCreatorToken,
  formatStatusAndCode,
  registerServiceTest,
  seedPartner,
  sendRequest,
  testClockStart,
  timestampPattern,
  waitForStatus
} from "../support/conformance/Dashboard.ts"

const integers = (value: object, names: ReadonlyArray<string>) => {
  assert.deepStrictEqual(Object.keys(value), names)
  for (const number of Object.values(value)) assert.isTrue(Number.isInteger(number))
}

registerServiceTest(
  "4 GET /usage: scope usage:read",
  Effect.gen(function* () {
    const { owner } = yield* seedPartner()
    const reader = yield* Seed.issueApiKey(owner, { scopes: ["usage:read"] })
    const others = yield* Seed.issueApiKey(owner, { scopes: ["personas:read", "topics:submit", "topics:read"] })
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: reader.text })), "200")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: others.text })), "401 scope_denied")
  })
)

registerServiceTest(
  "4 GET /usage: response data is a Usage object, of period, usage, quotas and remaining",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const { body, data } = yield* sendRequest("GET /usage", { key })
    assert.deepStrictEqual(Object.keys(body), ["success", "data"])
    assert.strictEqual(body.success, true)
    assert.sameMembers(Object.keys(data), ["period", "usage", "quotas", "remaining"])
  })
)

registerServiceTest(
  "2 Usage: period is an object of start and end, timestamps of the current billing period",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const { period } = (yield* sendRequest("GET /usage", { key })).data
    assert.deepStrictEqual(Object.keys(period), ["start", "end"])
    for (const moment of Object.values(period)) assert.match(String(moment), timestampPattern)
    assert.isTrue(Date.parse(period.start) <= testClockStart && testClockStart < Date.parse(period.end))
  })
)

registerServiceTest(
  "2 Usage: usage is an object of topics_created, commentaries_generated and api_calls, integers",
  Effect.gen(function* () {
    const { key, persona, submit } = yield* seedPartner()
    const usage = Effect.map(sendRequest("GET /usage", { key }), ({ data }) => data.usage)
    const before = yield* usage
    integers(before, ["topics_created", "commentaries_generated", "api_calls"])
    assert.deepStrictEqual(before, { topics_created: 0, commentaries_generated: 0, api_calls: 1 })
    const { data } = yield* submit("Will the cup be theirs again?")
    yield* actAsCreator(yield* findCreatorToken(persona.creator.email), "respond", {
      perspective: "Theirs, by some distance."
    })
    yield* waitForStatus(key, data.topic_id, "commentary_generated")
    const after = yield* usage
    assert.deepInclude(after, { topics_created: 1, commentaries_generated: 1 })
    assert.isAtLeast(after.api_calls, 4)
  })
)

registerServiceTest(
  "2 Usage: quotas is an object of topics_per_month, commentaries_per_month and api_calls_per_hour, integers",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const { quotas } = (yield* sendRequest("GET /usage", { key })).data
    integers(quotas, ["topics_per_month", "commentaries_per_month", "api_calls_per_hour"])
  })
)

registerServiceTest(
  "2 Usage: remaining is an object of topics and commentaries, integers",
  Effect.gen(function* () {
    const { key, submit } = yield* seedPartner()
    const before = (yield* sendRequest("GET /usage", { key })).data.remaining
    integers(before, ["topics", "commentaries"])
    yield* submit("Will the cup be theirs again?")
    const after = (yield* sendRequest("GET /usage", { key })).data.remaining
    assert.deepStrictEqual(after, { topics: before.topics - 1, commentaries: before.commentaries - 1 })
  })
)
