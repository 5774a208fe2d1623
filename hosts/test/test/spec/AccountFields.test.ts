/** Tests section 2 of the specification, row by row: usage, API keys and webhooks. */
import { assert, layer } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkField, type FieldType } from "../support/conformance/Fields.ts"
import {
  layerOfServiceUnderTest,
  seedPartner,
  sendRequest,
  startTime,
  submitTopicWithStates
} from "../support/conformance/ServiceUnderTest.ts"

const events = ["creator.approved", "partner.approved", "commentary.failed"]
const scopes = ["personas:read", "topics:submit", "topics:read", "usage:read"]

const answers = Effect.gen(function* () {
  const by = yield* seedPartner()
  const token = yield* Seed.issueDashboardToken(by.organization)
  yield* submitTopicWithStates(by, "Will the Lakers make the play-offs?", ["creator_approved", "topic_sent"])
  const usage = (yield* by.get("/usage")).body.data
  const dashboard = (method: string, path: string, body?: unknown) =>
    sendRequest(`/partner/v1/api-keys${path}`, { method, token, ...(body === undefined ? {} : { body }) })
  const key = (yield* dashboard("POST", "", { name: "Backend", scopes })).body.data
  const url = "https://receiver.example/commentary"
  const webhook = (yield* by.post("/webhooks", { url, events })).body.data
  return { by, dashboard, usage, key, webhook }
})
class Answers extends Context.Service<Answers, Effect.Success<typeof answers>>()("test/conformance/AccountFields") {
  static readonly layer = Layer.provideMerge(Layer.effect(Answers, answers), layerOfServiceUnderTest)
}

type Row = readonly [path: string, type: FieldType, literals?: ReadonlyArray<string>]
const tables: ReadonlyArray<readonly ["usage" | "key" | "webhook", string, ReadonlyArray<Row>]> = [
  [
    "usage",
    "Usage",
    [
      ["period", "object"],
      ["period.start", "timestamp"],
      ["period.end", "timestamp"],
      ["usage", "object"],
      ["usage.topics_created", "integer"],
      ["usage.commentaries_generated", "integer"],
      ["usage.api_calls", "integer"],
      ["quotas", "object"],
      ["quotas.topics_per_month", "integer"],
      ["quotas.commentaries_per_month", "integer"],
      ["quotas.api_calls_per_hour", "integer"],
      ["remaining", "object"],
      ["remaining.topics", "integer"],
      ["remaining.commentaries", "integer"]
    ]
  ],
  [
    "key",
    "API key",
    [
      ["id", "string"],
      ["name", "string"],
      ["full_key", "string"],
      ["key_prefix", "string"],
      ["scopes", "array of strings"],
      ["scopes[]", "string", scopes],
      ["created_at", "timestamp"]
    ]
  ],
  [
    "webhook",
    "Webhook",
    [
      ["id", "string"],
      ["url", "HTTPS URL"],
      ["events", "array of strings"],
      ["events[]", "string", events],
      ["secret", "string"],
      ["status", "string", ["active", "paused", "disabled"]],
      ["consecutive_failures", "integer"],
      ["last_delivery_at", "timestamp or null"],
      ["created_at", "timestamp"],
      ["updated_at", "timestamp"]
    ]
  ]
]

layer(Answers.layer)("specification 2", (it) => {
  for (const [resource, name, rows] of tables) {
    for (const [path, type, literals] of rows) {
      it.effect(`the field ${path} of ${name} has the type ${type} and only documented values`, () =>
        Effect.map(Answers, (seen) => checkField(seen[resource], path, type, literals))
      )
    }
  }

  it.effect("the usage period is the current billing period", () =>
    Effect.map(Answers, ({ usage: { period } }) => {
      assert.isAtMost(Date.parse(period.start), startTime)
      assert.isAbove(Date.parse(period.end), startTime)
    })
  )

  it.effect(
    "in the usage, topics_created, commentaries_generated and api_calls are counts, and remaining is the unused part of the quotas",
    () =>
      Effect.map(Answers, ({ usage: { quotas, remaining, usage } }) => {
        assert.deepInclude(usage, { topics_created: 1, commentaries_generated: 1 })
        assert.isAtLeast(usage.api_calls, 2)
        assert.strictEqual(remaining.topics, quotas.topics_per_month - 1)
        assert.strictEqual(remaining.commentaries, quotas.commentaries_per_month - 2)
      })
  )

  it.effect(
    "API key: full_key is the complete key and authenticates a request; key_prefix is its leading characters",
    () =>
      Effect.gen(function* () {
        const { key } = yield* Answers
        assert.isTrue(key.full_key.startsWith(key.key_prefix))
        assert.isBelow(key.key_prefix.length, key.full_key.length)
        assert.strictEqual((yield* sendRequest("/partner/v1/personas", { key: key.full_key })).status, 200)
      })
  )

  it.effect("API key: full_key is returned only at creation", () =>
    Effect.gen(function* () {
      const { dashboard, key } = yield* Answers
      for (const path of ["", `/${key.id}`]) {
        const { status, text } = yield* dashboard("GET", path)
        assert.strictEqual(status, 200)
        assert.include(text, key.id)
        assert.notInclude(text, key.full_key)
        assert.notInclude(text, "full_key")
      }
      assert.notProperty((yield* dashboard("DELETE", `/${(yield* spare).id}`)).body.data, "full_key")
    })
  )

  for (const [environment, meaning] of [
    ["live", "production"],
    ["test", "sandbox"]
  ]) {
    it.effect(`API key: the format is pk_<environment>_<random_string>; ${environment} is ${meaning}`, () =>
      Effect.gen(function* () {
        const { dashboard } = yield* Answers
        const make = Effect.map(
          dashboard("POST", "", { name: "Backend", scopes, environment }),
          ({ body }) => body.data.full_key as string
        )
        const [one, other] = [yield* make, yield* make]
        assert.match(one, new RegExp(`^pk_${environment}_[0-9A-Za-z]{20,}$`))
        assert.notStrictEqual(one, other)
      })
    )
  }

  it.effect("Webhook: secret is returned only at registration", () =>
    Effect.gen(function* () {
      const { by, webhook } = yield* Answers
      const path = `/webhooks/${webhook.id}`
      for (const answer of [yield* by.get("/webhooks"), yield* by.get(path), yield* by.patch(path, { events })]) {
        assert.strictEqual(answer.status, 200)
        assert.include(answer.text, webhook.id)
        assert.notInclude(answer.text, webhook.secret)
        assert.notInclude(answer.text, '"secret"')
      }
    })
  )

  it.effect("Webhook: last_delivery_at is null before any delivery", () =>
    Effect.map(Answers, ({ webhook }) => assert.isNull(webhook.last_delivery_at))
  )
})

/** A key that the test may revoke. */
const spare = Effect.flatMap(Answers, ({ by }) => Seed.issueApiKey(by.organization))
