/**
 * Tests the documented decisions about webhooks: registration, secrets and changes. The file Deliveries.test.ts tests
 * the deliveries.
 */
import { assert } from "@effect/vitest"
import { WebhookId } from "@partner-commentary/core/shared/Ids"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  actAsCreator,
  findCreatorToken,
  formatStatusAndCode,
  readInvalidFields,
  registerServiceTest,
  seedPartner,
  sendRequest,
  testClockStart,
  uuidPattern,
  validWebhookBody,
  waitForStatus
} from "../support/conformance/Dashboard.ts"
import { eventually } from "../support/Eventually.ts"

const registering = Effect.gen(function* () {
  const made = yield* seedPartner()
  const post = (given: object = {}) =>
    sendRequest("POST /webhooks", { key: made.key, body: { ...validWebhookBody, ...given } })
  return { ...made, post }
})

registerServiceTest(
  "Secret: a secret that begins with whsec_ must be the base64 of 24 to 64 bytes",
  Effect.gen(function* () {
    const { post } = yield* registering
    const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`
    for (const bytes of [24, 32, 64])
      assert.strictEqual(formatStatusAndCode(yield* post({ secret: secret(bytes) })), "201", `${bytes}`)
    for (const bytes of [23, 65])
      assert.deepStrictEqual(readInvalidFields(yield* post({ secret: secret(bytes) })), ["secret"])
    assert.deepStrictEqual(readInvalidFields(yield* post({ secret: `whsec_${"!".repeat(40)}` })), ["secret"])
  })
)

registerServiceTest(
  "Secret: a secret without the prefix whsec_ must have 32 to 256 printable ASCII characters",
  Effect.gen(function* () {
    const { post } = yield* registering
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("")
    for (const secret of ["a".repeat(32), "a".repeat(256), printable]) {
      assert.strictEqual((yield* post({ secret })).data.secret, secret)
    }
    for (const secret of ["a".repeat(31), "a".repeat(257), `${"a".repeat(32)}\n`, `${"a".repeat(32)}é`]) {
      assert.deepStrictEqual(readInvalidFields(yield* post({ secret })), ["secret"])
    }
  })
)

registerServiceTest(
  "Secret: a generated secret is whsec_ and 32 random bytes in base64",
  Effect.gen(function* () {
    const { post } = yield* registering
    const made = yield* Effect.forEach([1, 2, 3], () => Effect.map(post(), ({ data }) => data.secret as string))
    for (const secret of made) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.strictEqual(Buffer.from(secret.slice("whsec_".length), "base64").length, 32)
    }
    assert.strictEqual(new Set(made).size, 3)
  })
)

registerServiceTest(
  "Disabled webhook: PATCH with the status active enables the webhook and sets consecutive_failures to 0",
  Effect.gen(function* () {
    const { key, post } = yield* registering
    const { id } = (yield* post()).data
    const store = yield* WebhookStore
    yield* store.modify(null, WebhookId.make(id), (present) => ({
      webhook: { ...present, status: "disabled", consecutiveFailures: 23, lastDeliveryAt: testClockStart },
      audit: { action: "webhook.disabled", details: {} },
      notice: null
    }))
    const shown = (yield* sendRequest(`GET /webhooks/${id}`, { key })).data
    assert.deepInclude(shown, { status: "disabled", consecutive_failures: 23 })
    assert.strictEqual(Date.parse(shown.last_delivery_at), testClockStart)
    const active = yield* sendRequest(`PATCH /webhooks/${id}`, { key, body: { status: "active" } })
    assert.deepInclude(active.data, { status: "active", consecutive_failures: 0 })
  })
)

registerServiceTest(
  "Registration: a URL whose host is not public gets 400, for a new webhook and for a change of the URL",
  Effect.gen(function* () {
    const { key, post } = yield* registering
    yield* (yield* InMemoryWebhookReceivers).refuse("inside.example", "must not name a host in a private network")
    const inside = { url: "https://inside.example/hook" }
    assert.deepStrictEqual(readInvalidFields(yield* post(inside)), ["url"])
    const { id } = (yield* post()).data
    assert.deepStrictEqual(readInvalidFields(yield* sendRequest(`PATCH /webhooks/${id}`, { key, body: inside })), [
      "url"
    ])
    assert.strictEqual((yield* sendRequest(`GET /webhooks/${id}`, { key })).data.url, validWebhookBody.url)
  })
)

registerServiceTest(
  "Registration: an organization has at most 20 webhooks in each environment",
  Effect.gen(function* () {
    const { owner, post } = yield* registering
    for (let count = 1; count <= 20; count++) assert.strictEqual(formatStatusAndCode(yield* post()), "201")
    assert.strictEqual(formatStatusAndCode(yield* post()), "400 invalid_request")
    const { text: key } = yield* Seed.issueApiKey(owner, { environment: "test" })
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("POST /webhooks", { key, body: validWebhookBody })),
      "201"
    )
    const { post: others } = yield* registering
    assert.strictEqual(formatStatusAndCode(yield* others()), "201")
  })
)

registerServiceTest(
  "Registration: the contact gets a mail about a new webhook or a new URL, but no mail about other changes or a deletion",
  Effect.gen(function* () {
    const { key, owner, post } = yield* registering
    const mailbox = yield* Mailbox
    const mailed = (count: number) =>
      eventually(
        `mail ${count}`,
        Effect.map(mailbox.to(owner.contactEmail ?? ""), (mails) => (mails.length === count ? mails[count - 1] : null))
      )
    const { id } = (yield* post()).data
    assert.match((yield* mailed(1)).text, /was added.*partner\S{1,3}example/s)
    const patch = (body: object) => sendRequest(`PATCH /webhooks/${id}`, { key, body })
    yield* patch({ status: "paused" })
    yield* patch({ events: ["commentary.failed"] })
    yield* patch({ url: "https://moved.example/hook" })
    // A mail about a change is sent immediately, or five minutes after the previous mail.
    yield* TestClock.adjust("5 minutes")
    assert.match((yield* mailed(2)).text, /was changed.*moved\S{1,3}example/s)
    yield* sendRequest(`DELETE /webhooks/${id}`, { key })
    yield* TestClock.adjust("1 hour")
    yield* mailed(2)
  })
)

registerServiceTest(
  "GET /webhooks lists all webhooks without their secrets",
  Effect.gen(function* () {
    const { key, post } = yield* registering
    const ids = [(yield* post()).data.id, (yield* post()).data.id]
    const { data, status, text } = yield* sendRequest("GET /webhooks", { key })
    assert.strictEqual(status, 200)
    assert.sameMembers(
      data.map(({ id }: { readonly id: string }) => id),
      ids
    )
    assert.notInclude(text, "secret")
  })
)

registerServiceTest(
  "GET /webhooks/{id} returns a webhook without its secret, and 404 to another organization",
  Effect.gen(function* () {
    const { key, post } = yield* registering
    const { secret: _, ...shown } = (yield* post()).data
    assert.match(shown.id, uuidPattern)
    assert.deepStrictEqual((yield* sendRequest(`GET /webhooks/${shown.id}`, { key })).body, {
      success: true,
      data: shown
    })
    const stranger = yield* seedPartner()
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest(`GET /webhooks/${shown.id}`, { key: stranger.key })),
      "404 not_found"
    )
  })
)

registerServiceTest(
  "DELETE /webhooks/{id} deletes the webhook and returns {id, deleted: true}",
  Effect.gen(function* () {
    const { key, post } = yield* registering
    const { id } = (yield* post()).data
    const { body, status } = yield* sendRequest(`DELETE /webhooks/${id}`, { key })
    assert.deepStrictEqual([status, body], [200, { success: true, data: { id, deleted: true } }])
    assert.strictEqual(formatStatusAndCode(yield* sendRequest(`GET /webhooks/${id}`, { key })), "404 not_found")
    assert.deepStrictEqual((yield* sendRequest("GET /webhooks", { key })).data, [])
  })
)

registerServiceTest(
  "Partner's approval: the first POST …/approve sets partner_approved_at, and no call changes a status",
  Effect.gen(function* () {
    const { key, persona, submit } = yield* seedPartner()
    const { topic_id } = (yield* submit("Will the cup be theirs again?")).data
    const token = yield* findCreatorToken(persona.creator.email)
    yield* actAsCreator(token, "respond", { perspective: "Theirs, by some distance." })
    yield* waitForStatus(key, topic_id, "commentary_generated")
    yield* actAsCreator(token, "approve")
    const detail = Effect.map(sendRequest(`GET /topics/${topic_id}`, { key }), ({ data }) => data)
    const before = yield* detail
    const { commentary } = before.commentaries[0]
    const approve = sendRequest(`POST /topics/${topic_id}/commentaries/${commentary.id}/approve`, { key })
    const moment = new Date(testClockStart).toISOString()
    for (const _ of [1, 2]) {
      const { data, status } = yield* approve
      assert.deepStrictEqual([status, data.partner_approved_at], [200, moment])
      yield* TestClock.adjust("1 hour")
    }
    const after = yield* detail
    const accepted = { ...before.commentaries[0], commentary: { ...commentary, partner_approved_at: moment } }
    assert.isNull(commentary.partner_approved_at)
    assert.deepStrictEqual(after, { ...before, commentaries: [accepted] })
  })
)
