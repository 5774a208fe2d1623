/** Tests section 8 of the specification: quotas, the limits of fields, and the guidance for clients. */
import { assert } from "@effect/vitest"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  formatStatusAndCode,
  readInvalidFields,
  registerServiceTest,
  seedPartner,
  sendRequest,
  validWebhookBody
} from "../support/conformance/Dashboard.ts"
import { eventually } from "../support/Eventually.ts"

registerServiceTest(
  "8 Quotas: topics per month, commentaries per month, API calls per hour; values depend on the plan",
  Effect.gen(function* () {
    const quotas = Effect.fnUntraced(function* (plan: "standard" | "premium") {
      const { key } = yield* seedPartner({ plan, limits: {} })
      return (yield* sendRequest("GET /usage", { key })).data.quotas
    })
    const [standard, premium] = [yield* quotas("standard"), yield* quotas("premium")]
    assert.sameMembers(Object.keys(standard), ["topics_per_month", "commentaries_per_month", "api_calls_per_hour"])
    for (const [name, value] of Object.entries(standard)) assert.isBelow(Number(value), premium[name])
    assert.deepStrictEqual([standard.api_calls_per_hour, premium.api_calls_per_hour], [1000, 5000])
  })
)

registerServiceTest(
  "8 Topic content length: 10 to 500 characters",
  Effect.gen(function* () {
    const { submit } = yield* seedPartner()
    for (const length of [10, 100, 500])
      assert.strictEqual(formatStatusAndCode(yield* submit("a".repeat(length))), "201")
    for (const length of [9, 501])
      assert.deepStrictEqual(readInvalidFields(yield* submit("b".repeat(length))), ["content"])
  })
)

registerServiceTest(
  "8 external_reference length: max 256 characters",
  Effect.gen(function* () {
    const { submit } = yield* seedPartner()
    const named = (length: number) =>
      submit(`Will the cup be theirs by ${length}?`, { more: { external_reference: "r".repeat(length) } })
    assert.strictEqual(formatStatusAndCode(yield* named(256)), "201")
    assert.deepStrictEqual(readInvalidFields(yield* named(257)), ["external_reference"])
  })
)

registerServiceTest(
  "8 List topics limit: 1 to 100, default 20",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const list = (query: string) => sendRequest(`GET /topics${query}`, { key })
    assert.strictEqual((yield* list("")).body.pagination.limit, 20)
    for (const limit of [1, 100]) assert.strictEqual((yield* list(`?limit=${limit}`)).body.pagination.limit, limit)
    for (const limit of [0, 101, -1])
      assert.deepStrictEqual(readInvalidFields(yield* list(`?limit=${limit}`)), ["limit"])
  })
)

registerServiceTest(
  "8 Webhook secret: min 32 characters",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const register = (length: number) =>
      sendRequest("POST /webhooks", { key, body: { ...validWebhookBody, secret: "s".repeat(length) } })
    assert.strictEqual(formatStatusAndCode(yield* register(32)), "201")
    assert.deepStrictEqual(readInvalidFields(yield* register(31)), ["secret"])
  })
)

registerServiceTest(
  "8 Duplicate detection window: 24 hours",
  Effect.gen(function* () {
    const { submit } = yield* seedPartner()
    const content = "Will the cup be theirs again?"
    assert.strictEqual(formatStatusAndCode(yield* submit(content)), "201")
    yield* TestClock.adjust(24 * 3_600_000 - 1)
    const { error } = yield* submit(content)
    assert.deepInclude(error.details[0], { status: "duplicate" })
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* submit(content)).data.results[0].status, "sent")
  })
)

registerServiceTest(
  "8 Client guidance: polling a status every 30 seconds for an hour stays within the standard limits",
  Effect.gen(function* () {
    const { key, submit } = yield* seedPartner({ limits: {} })
    const { data } = yield* submit("Will the cup be theirs again?")
    for (let polls = 0; polls < 120; polls++) {
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(`GET /topics/${data.topic_id}/status`, { key })), "200")
      yield* TestClock.adjust("30 seconds")
    }
  })
)

registerServiceTest(
  "8 Client guidance: 24 to 48 hours are allowed for human review",
  Effect.gen(function* () {
    const { key, persona, submit } = yield* seedPartner()
    const mailbox = yield* Mailbox
    const { data } = yield* submit("Will the cup be theirs again?")
    const status = Effect.map(
      sendRequest(`GET /topics/${data.topic_id}/status`, { key }),
      ({ data }) => data.personas[0].status
    )
    yield* eventually(
      "the mail",
      Effect.map(mailbox.to(persona.creator.email), ({ length }) => length === 1)
    )
    yield* TestClock.adjust("47 hours")
    assert.strictEqual(yield* status, "topic_sent")
    yield* TestClock.adjust("2 hours")
    yield* eventually(
      "the expiry",
      Effect.map(status, (now) => now === "expired")
    )
  })
)

registerServiceTest(
  "8 Client guidance: one topic goes to several personas in one request",
  Effect.gen(function* () {
    const { owner, persona, submit } = yield* seedPartner()
    const others = yield* Effect.forEach(["Bo", "Cy"], (name) => Seed.createPersona(owner, { name }))
    const more = { persona_ids: [persona, ...others].map(({ id }) => id) }
    const { data } = yield* submit("Will the cup be theirs again?", { more })
    assert.strictEqual(data.personas_sent, 3)
  })
)
