/** Tests the documented decisions about stored data: the audit log, retention, encryption and deletion. */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { Retention } from "@partner-commentary/core/operations/Retention"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  actAsCreator,
  findCreatorToken,
  formatStatusAndCode,
  readAllRows,
  registerServiceTest,
  seedPartner,
  sendRequest,
  validWebhookBody,
  waitForStatus
} from "../support/conformance/Dashboard.ts"
import { eventually } from "../support/Eventually.ts"

const content = "Will the cup be theirs again?"
const perspective = "Theirs, by a good deal more than some distance."
const approved = "They will win it, and nobody else will."

/** Returns the actions in the audit log in order, with their times and details. */
const record = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ recorded_at: string; action: string; subject: string; details: string }>`
    SELECT recorded_at, action, subject, details FROM audit_log ORDER BY number`
  return rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) }))
})

/** Seeds a topic whose creator has responded, with the token for the creator's next actions. */
const responded = Effect.gen(function* () {
  const made = yield* seedPartner()
  const { data } = yield* made.submit(content, { more: { external_reference: "mine" } })
  const token = yield* findCreatorToken(made.persona.creator.email)
  yield* actAsCreator(token, "respond", { perspective })
  yield* waitForStatus(made.key, data.topic_id, "commentary_generated")
  const detail = Effect.map(sendRequest(`GET /topics/${data.topic_id}`, { key: made.key }), ({ data }) => data)
  return { ...made, topicId: data.topic_id as string, shareId: data.results[0].share_id as string, token, detail }
})

registerServiceTest(
  "Audit log: a change of a key is recorded with the dashboard user and the time",
  Effect.gen(function* () {
    const { createKey, token } = yield* seedPartner()
    const { id } = (yield* createKey()).data
    yield* TestClock.adjust("1 minute")
    yield* sendRequest(`POST /api-keys/${id}/rotate`, { token })
    yield* sendRequest(`DELETE /api-keys/${id}`, { token })
    const seen = (yield* record).filter(({ subject }) => subject === id)
    assert.deepStrictEqual(
      seen.map(({ action, details, recorded_at }) => [action, details.by, recorded_at]),
      [
        ["key.created", "dashboard:ada", "2026-02-10T09:00:00.000Z"],
        ["key.rotated", "dashboard:ada", "2026-02-10T09:01:00.000Z"],
        ["key.revoked", "dashboard:ada", "2026-02-10T09:01:00.000Z"]
      ]
    )
  })
)

registerServiceTest(
  "Audit log: a change of a webhook is recorded with the API key, and without the secret",
  Effect.gen(function* () {
    const { key, keyId } = yield* seedPartner()
    const { id, secret } = (yield* sendRequest("POST /webhooks", { key, body: validWebhookBody })).data
    yield* sendRequest(`PATCH /webhooks/${id}`, { key, body: { status: "paused" } })
    yield* sendRequest(`DELETE /webhooks/${id}`, { key })
    const seen = (yield* record).filter(({ subject }) => subject === id)
    assert.deepStrictEqual(
      seen.map(({ action }) => action),
      ["webhook.created", "webhook.updated", "webhook.deleted"]
    )
    for (const { details } of seen) assert.include(JSON.stringify(details), keyId)
    assert.notInclude(JSON.stringify(seen), secret)
  })
)

registerServiceTest(
  "Audit log: the entry of a creator's action says that the creator used the link, and an approval's entry has the text's hash",
  Effect.gen(function* () {
    const { shareId, token } = yield* responded
    yield* TestClock.adjust("1 hour")
    yield* actAsCreator(token, "approve", { content: approved })
    const seen = (yield* record).filter(({ subject }) => subject === shareId)
    assert.deepStrictEqual(
      seen.map(({ action, recorded_at }) => [action, recorded_at]),
      [
        ["creator.responded", "2026-02-10T09:00:00.000Z"],
        ["creator.approved", "2026-02-10T10:00:00.000Z"]
      ]
    )
    assert.strictEqual(seen[1]?.details.sha256, createHash("sha256").update(approved).digest("hex"))
    for (const { details } of seen) assert.match(String(details.by), /link/i)
    for (const words of [perspective, approved, token]) assert.notInclude(JSON.stringify(seen), words)
  })
)

registerServiceTest(
  "Retention: sent mails are kept for 7 days, stored responses for 24 hours, and duplicate windows until they end",
  Effect.gen(function* () {
    const { key, persona } = yield* seedPartner()
    const send = (idempotencyKey: string, content: string) =>
      sendRequest("POST /topics", {
        key,
        body: { content, persona_ids: [persona.id] },
        headers: { "idempotency-key": idempotencyKey }
      })
    yield* send("a", content)
    yield* findCreatorToken(persona.creator.email)
    const purge = Effect.gen(function* () {
      const now = yield* Instant.now
      const retention = yield* Retention
      return yield* retention.purge({
        mails: now - 7 * 86_400_000,
        windows: now,
        answers: now,
        events: now - 30 * 86_400_000,
        testTopics: now - 30 * 86_400_000
      })
    })
    assert.deepStrictEqual(yield* purge, { mails: 0, windows: 0, answers: 0, events: 0, testTopics: 0 })
    yield* TestClock.adjust("24 hours")
    assert.deepStrictEqual((yield* send("a", content)).headers.get("idempotency-replayed"), null)
    const [first, again] = [yield* purge, yield* purge]
    assert.deepStrictEqual([first.mails, again], [0, { mails: 0, windows: 0, answers: 0, events: 0, testTopics: 0 }])
    yield* findCreatorToken(persona.creator.email, 3)
    yield* TestClock.adjust("10 days")
    yield* eventually(
      "the expiry",
      Effect.map(sendRequest("GET /topics?status=completed", { key }), ({ body }) => body.pagination.total === 2)
    )
    const last = yield* purge
    assert.isAtLeast(last.mails, 3)
    assert.deepInclude(last, { windows: 1, answers: 1 })
  })
)

registerServiceTest(
  "Erasure: after a creator is erased, only the approved texts remain",
  Effect.gen(function* () {
    const { detail, persona, token } = yield* responded
    yield* actAsCreator(token, "approve", { content: approved })
    const before = yield* detail
    yield* (yield* CreatorAdministration).erase(persona.creator.email)
    assert.deepStrictEqual(yield* detail, before)
    assert.strictEqual(before.commentaries[0].commentary.content, approved)
    const stored = yield* readAllRows
    assert.include(stored, approved)
    for (const gone of [persona.creator.email, perspective]) assert.notInclude(stored, gone)
    const { call } = yield* TestApi
    assert.strictEqual((yield* call(`/creator/${token}`)).status, 404)
  })
)

registerServiceTest(
  "Encryption: the database contains no webhook secret as plain text",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const { secret } = (yield* sendRequest("POST /webhooks", { key, body: validWebhookBody })).data
    const plain = "a secret of thirty-two characters"
    yield* sendRequest("POST /webhooks", { key, body: { ...validWebhookBody, secret: plain } })
    const stored = yield* readAllRows
    assert.include(stored, validWebhookBody.url)
    for (const hidden of [secret, secret.slice("whsec_".length), plain, Buffer.from(plain).toString("base64")]) {
      assert.notInclude(stored, hidden)
    }
  })
)

registerServiceTest(
  "Licences: a revoked licence prevents new topics, and the creator can still approve the current assignment",
  Effect.gen(function* () {
    const { detail, key, owner, persona, submit, token } = yield* responded
    yield* (yield* PersonaRegistry).revoke(owner.id, persona.id, yield* Instant.now)
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest(`GET /personas/${persona.id}`, { key })),
      "403 not_licensed"
    )
    const { error } = yield* submit("Will the cup be theirs after all?")
    assert.deepStrictEqual(error.details, [{ persona_id: persona.id, status: "not_licensed" }])
    yield* actAsCreator(token, "approve", { content: approved })
    assert.strictEqual((yield* detail).commentaries[0].commentary.content, approved)
  })
)

registerServiceTest(
  'Personas: a persona without details has the bio "", the expertise [], the social_links {} and a neutral avatar',
  Effect.gen(function* () {
    const { key, owner } = yield* seedPartner()
    const bare = { name: "Bo", imageUrl: "", bio: "", expertise: [], socialLinks: {} }
    const { id } = yield* Seed.createPersona(owner, bare)
    const { image_url, ...shown } = (yield* sendRequest(`GET /personas/${id}`, { key })).data
    assert.deepStrictEqual(shown, { id, name: "Bo", bio: "", expertise: [], social_links: {} })
    const { call } = yield* TestApi
    const avatar = yield* call(new URL(image_url).pathname)
    assert.deepStrictEqual([avatar.status, avatar.headers.get("content-type")], [200, "image/svg+xml"])
  })
)

registerServiceTest(
  "Personas: a changed name or image of a persona does not change the topics that were sent before",
  Effect.gen(function* () {
    const { detail, key, persona } = yield* responded
    const before = yield* detail
    const registry = yield* PersonaRegistry
    const changes = { name: "Ada Vance-Moreau", imageUrl: "https://images.example/new.png" }
    yield* registry.update(persona.id, (present) => ({ ...present, ...changes }))
    assert.deepStrictEqual(yield* detail, before)
    const { commentaries } = (yield* sendRequest("GET /topics/by-reference/mine", { key })).data
    assert.deepInclude(commentaries[0], { persona_name: persona.name, persona_image: persona.imageUrl })
    assert.deepInclude((yield* sendRequest("GET /personas", { key })).data[0], {
      name: changes.name,
      image_url: changes.imageUrl
    })
  })
)

registerServiceTest(
  "Creators: a reminder is sent to the address of the first mail, even if the creator's address has changed",
  Effect.gen(function* () {
    const { persona, submit } = yield* seedPartner()
    yield* submit(content)
    const { email } = persona.creator
    yield* findCreatorToken(email)
    const registry = yield* PersonaRegistry
    const creator = { ...persona.creator, email: "another@creators.example" }
    yield* registry.update(persona.id, (present) => ({ ...present, creator }))
    yield* TestClock.adjust("25 hours")
    yield* findCreatorToken(email, 2)
    assert.deepStrictEqual(yield* (yield* Mailbox).to(creator.email), [])
  })
)
