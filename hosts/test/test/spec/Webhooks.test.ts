/** Tests sections 2, 3, 4 and 6 of the specification: registration and changes of webhooks. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  formatStatusAndCode,
  readInvalidFields,
  registerServiceTest,
  seedPartner,
  sendRequest,
  timestampPattern,
  validWebhookBody
} from "../support/conformance/Dashboard.ts"

const specified = [
  "id",
  "url",
  "events",
  "status",
  "consecutive_failures",
  "last_delivery_at",
  "created_at",
  "updated_at"
]
/** The fields of the specification, and four fields that a later minor version of the API added. */
const shown = [...specified, "disabled_reason", "disabled_at", "circuit", "held_count"]

const registered = Effect.fnUntraced(function* (given: object = {}) {
  const { key } = yield* seedPartner()
  const { data } = yield* sendRequest("POST /webhooks", { key, body: { ...validWebhookBody, ...given } })
  const patch = (body: unknown) => sendRequest(`PATCH /webhooks/${data.id}`, { key, body })
  return { key, data, patch }
})

registerServiceTest(
  "4 POST /webhooks: registers a webhook endpoint",
  Effect.gen(function* () {
    const { data, key } = yield* registered()
    const { data: found } = yield* sendRequest(`GET /webhooks/${data.id}`, { key })
    assert.deepInclude(found, validWebhookBody)
  })
)

registerServiceTest(
  "4 POST /webhooks: url is required, an HTTPS URL",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const { url: _, ...rest } = validWebhookBody
    assert.deepStrictEqual(readInvalidFields(yield* sendRequest("POST /webhooks", { key, body: rest })), ["url"])
    for (const url of ["http://partner.example/commentary", "partner.example", "wss://partner.example", 7]) {
      assert.deepStrictEqual(
        readInvalidFields(yield* sendRequest("POST /webhooks", { key, body: { ...validWebhookBody, url } })),
        ["url"]
      )
    }
  })
)

registerServiceTest(
  "4 POST /webhooks: events are required, an array of strings",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const { events: _, ...rest } = validWebhookBody
    assert.deepStrictEqual(readInvalidFields(yield* sendRequest("POST /webhooks", { key, body: rest })), ["events"])
    const text = { ...validWebhookBody, events: "creator.approved" }
    assert.deepStrictEqual(readInvalidFields(yield* sendRequest("POST /webhooks", { key, body: text })), ["events"])
  })
)

for (const type of ["creator.approved", "partner.approved", "commentary.failed"]) {
  registerServiceTest(
    `6 Events: ${type} is subscribable`,
    Effect.gen(function* () {
      const { data } = yield* registered({ events: [type] })
      assert.deepStrictEqual(data.events, [type])
    })
  )
}

registerServiceTest(
  "4 POST /webhooks: events allow creator.approved, partner.approved, commentary.failed, and nothing else",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const all = { ...validWebhookBody, events: ["creator.approved", "partner.approved", "commentary.failed"] }
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("POST /webhooks", { key, body: all })), "201")
    for (const type of ["topic.created", "webhook.test", "CREATOR.APPROVED", "*", ""]) {
      const body = { ...validWebhookBody, events: ["creator.approved", type] }
      assert.deepStrictEqual(readInvalidFields(yield* sendRequest("POST /webhooks", { key, body })), ["events[1]"])
    }
  })
)

registerServiceTest(
  "4 POST /webhooks: secret is optional, minimum 32 characters, generated when omitted",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const secret = "s".repeat(32)
    assert.strictEqual(
      (yield* sendRequest("POST /webhooks", { key, body: { ...validWebhookBody, secret } })).data.secret,
      secret
    )
    const short = { ...validWebhookBody, secret: "s".repeat(31) }
    assert.deepStrictEqual(readInvalidFields(yield* sendRequest("POST /webhooks", { key, body: short })), ["secret"])
    const one = (yield* sendRequest("POST /webhooks", { key, body: validWebhookBody })).data.secret
    const other = (yield* sendRequest("POST /webhooks", { key, body: validWebhookBody })).data.secret
    assert.isAtLeast(one.length, 32)
    assert.notStrictEqual(one, other)
  })
)

registerServiceTest(
  "4 POST /webhooks: response data is the Webhook including secret",
  Effect.gen(function* () {
    const { data } = yield* registered()
    assert.sameMembers(Object.keys(data), [...shown, "secret"])
    for (const text of [data.id, data.secret]) assert.isString(text)
    for (const moment of [data.created_at, data.updated_at]) assert.match(moment, timestampPattern)
  })
)

registerServiceTest(
  "4 POST /webhooks: the secret is returned only here; it cannot be retrieved later",
  Effect.gen(function* () {
    const { data, key } = yield* registered()
    for (const line of ["GET /webhooks", `GET /webhooks/${data.id}`, `DELETE /webhooks/${data.id}`]) {
      const { status, text } = yield* sendRequest(line, { key })
      assert.strictEqual(status, 200)
      assert.notInclude(text, data.secret)
      assert.notInclude(text, "secret")
    }
  })
)

registerServiceTest(
  "4 POST /webhooks: initial status is active, consecutive_failures is 0, last_delivery_at is null",
  Effect.gen(function* () {
    const { data } = yield* registered()
    assert.deepInclude(data, { status: "active", consecutive_failures: 0, last_delivery_at: null })
  })
)

registerServiceTest(
  "4 PATCH /webhooks/{id}: url, events and status are all optional",
  Effect.gen(function* () {
    const { data, patch } = yield* registered()
    const { secret: _, ...before } = data
    assert.deepStrictEqual((yield* patch({})).data, before)
    const changes = { url: "https://other.example/in", events: ["commentary.failed"], status: "paused" }
    for (const [name, value] of Object.entries(changes)) {
      assert.strictEqual(JSON.stringify((yield* patch({ [name]: value })).data[name]), JSON.stringify(value))
    }
    assert.deepInclude((yield* patch({})).data, changes)
  })
)

registerServiceTest(
  "4 PATCH /webhooks/{id}: url is an HTTPS string, events an array of the allowed strings",
  Effect.gen(function* () {
    const { patch } = yield* registered()
    assert.deepStrictEqual(readInvalidFields(yield* patch({ url: "http://other.example/" })), ["url"])
    assert.deepStrictEqual(readInvalidFields(yield* patch({ events: ["topic.created"] })), ["events[0]"])
    assert.deepStrictEqual(readInvalidFields(yield* patch({ events: "creator.approved" })), ["events"])
  })
)

registerServiceTest(
  "3 Webhook status: a client may set active or paused through the update operation, and not disabled",
  Effect.gen(function* () {
    const { patch } = yield* registered()
    for (const status of ["paused", "active"]) assert.strictEqual((yield* patch({ status })).data.status, status)
    assert.deepStrictEqual(readInvalidFields(yield* patch({ status: "disabled" })), ["status"])
  })
)

registerServiceTest(
  "4 PATCH /webhooks/{id}: the secret cannot be changed; a new webhook must be created for a new secret",
  Effect.gen(function* () {
    const { key, patch } = yield* registered()
    const secret = "n".repeat(40)
    assert.deepStrictEqual(readInvalidFields(yield* patch({ secret })), ["secret"])
    assert.strictEqual(
      (yield* sendRequest("POST /webhooks", { key, body: { ...validWebhookBody, secret } })).data.secret,
      secret
    )
  })
)

registerServiceTest(
  "4 PATCH /webhooks/{id}: response data is the Webhook without secret; updated_at changes",
  Effect.gen(function* () {
    const { data, patch } = yield* registered()
    yield* TestClock.adjust("1 minute")
    const changed = yield* patch({ status: "paused" })
    assert.sameMembers(Object.keys(changed.data), shown)
    assert.strictEqual(changed.data.created_at, data.created_at)
    assert.strictEqual(Date.parse(changed.data.updated_at) - Date.parse(data.updated_at), 60_000)
    assert.notInclude(changed.text, data.secret)
  })
)
