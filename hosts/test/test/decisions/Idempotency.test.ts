/** Tests the documented decisions about the optional Idempotency-Key header of POST requests. */
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  type ApiResponse,
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
import { runWhileTimePasses } from "../support/Eventually.ts"

const content = "Will the cup be theirs again?"
const other = "Will the cup be theirs after all?"

/** Sends a POST with the caller's idempotency key. */
const under = (idempotencyKey: string, line: string, call: Parameters<typeof sendRequest>[1] = {}) =>
  sendRequest(line, { ...call, headers: { "idempotency-key": idempotencyKey } })

const replayed = ({ headers }: ApiResponse) => headers.get("idempotency-replayed")

/**
 * Sends the same request twice, and checks that the second response equals the first response and is marked as a
 * replay.
 */
const twice = Effect.fnUntraced(function* <E, R>(request: Effect.Effect<ApiResponse, E, R>) {
  const first = yield* request
  assert.isBelow(first.status, 300, first.text)
  assert.isNull(replayed(first))
  yield* TestClock.adjust("1 minute")
  const second = yield* request
  assert.strictEqual(replayed(second), "true")
  assert.deepStrictEqual([second.status, second.text], [first.status, first.text])
  assert.strictEqual(second.headers.get("location"), first.headers.get("location"))
  return first
})

registerServiceTest(
  "Idempotency: a repeated key and body within 24 hours gets the first response with Idempotency-Replayed: true",
  Effect.gen(function* () {
    const { key, persona } = yield* seedPartner()
    const send = under("a", "POST /topics", { key, body: { content, persona_ids: [persona.id] } })
    yield* twice(send)
    yield* TestClock.adjust(24 * 3_600_000 - 60_001)
    assert.strictEqual(replayed(yield* send), "true")
    yield* TestClock.adjust(1)
    const anew = yield* send
    assert.deepStrictEqual([formatStatusAndCode(anew), replayed(anew)], ["201", null])
    assert.strictEqual((yield* sendRequest("GET /topics", { key })).body.pagination.total, 2)
  })
)

registerServiceTest(
  "Idempotency: every POST operation accepts an idempotency key",
  Effect.gen(function* () {
    const { key, owner, persona, submit, token } = yield* seedPartner()
    const { data } = yield* submit(content)
    const link = yield* findCreatorToken(persona.creator.email)
    yield* actAsCreator(link, "respond", { perspective: "Theirs, by some distance." })
    yield* waitForStatus(key, data.topic_id, "commentary_generated")
    yield* actAsCreator(link, "approve")
    const ready = yield* sendRequest(`GET /topics/${data.topic_id}/commentaries`, { key })
    const [{ commentary_id }] = ready.data.commentaries
    const topics = [{ content: other, persona_ids: [persona.id] }]
    yield* twice(under("a", "POST /topics/bulk", { key, body: { topics } }))
    yield* twice(under("a", `POST /topics/${data.topic_id}/commentaries/${commentary_id}/approve`, { key }))
    yield* twice(under("a", "POST /webhooks", { key, body: validWebhookBody }))
    const body = { name: "Backend", scopes: ["usage:read"] }
    const created = yield* twice(under("a", "POST /api-keys", { token, body }))
    yield* twice(under("a", `POST /api-keys/${created.data.id}/rotate`, { token }))
    const { text: test } = yield* Seed.issueApiKey(owner, { environment: "test" })
    const waits = { content, persona_ids: ["7e570000-0000-4000-8000-000000000005"] }
    const [{ share_id }] = (yield* sendRequest("POST /topics", { key: test, body: waits })).data.results
    yield* twice(under("a", `POST /test/assignments/${share_id}/advance`, { key: test }))
  })
)

registerServiceTest(
  "Idempotency: a used key with another body gets 400, and the request changes nothing",
  Effect.gen(function* () {
    const { key, persona } = yield* seedPartner()
    const send = (content: string) => under("a", "POST /topics", { key, body: { content, persona_ids: [persona.id] } })
    assert.strictEqual(formatStatusAndCode(yield* send(content)), "201")
    assert.strictEqual(formatStatusAndCode(yield* send(other)), "400 invalid_request")
    assert.strictEqual((yield* sendRequest("GET /topics", { key })).body.pagination.total, 1)
  })
)

registerServiceTest(
  "Idempotency: a key is valid for one organization, environment, method and path",
  Effect.gen(function* () {
    const { key, owner, persona } = yield* seedPartner()
    const stranger = yield* seedPartner()
    yield* Seed.licensePersona(stranger.owner, persona)
    const { text: test } = yield* Seed.issueApiKey(owner, { environment: "test" })
    const { text: second } = yield* Seed.issueApiKey(owner)
    const body = { content, persona_ids: [persona.id] }
    for (const [caller, line, given, status] of [
      [key, "POST /topics", body, "201"],
      [stranger.key, "POST /topics", body, "201"],
      [test, "POST /topics", body, "201"],
      [key, "POST /topics/bulk", { topics: [{ ...body, content: other }] }, "200"],
      [key, "POST /webhooks", validWebhookBody, "201"]
    ] as const) {
      const answer = yield* under("a", line, { key: caller, body: given })
      assert.deepStrictEqual([formatStatusAndCode(answer), replayed(answer)], [status, null], line)
    }
    assert.strictEqual(replayed(yield* under("a", "POST /topics", { key: second, body })), "true")
    assert.isNull(replayed(yield* under("a", "GET /topics", { key })))
  })
)

registerServiceTest(
  "Idempotency: a concurrent request with the same key waits and gets the same response",
  Effect.gen(function* () {
    const { key, persona } = yield* seedPartner()
    const send = under("a", "POST /topics", { key, body: { content, persona_ids: [persona.id] } })
    const answers = yield* runWhileTimePasses(
      Effect.all(
        Array.from({ length: 12 }, () => send),
        { concurrency: "unbounded" }
      )
    )
    assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
    assert.lengthOf(
      answers.filter((answer) => replayed(answer) === null),
      1
    )
    assert.strictEqual((yield* sendRequest("GET /topics", { key })).body.pagination.total, 1)
  })
)

registerServiceTest(
  "Idempotency: only 2xx responses are stored",
  Effect.gen(function* () {
    const { key, owner } = yield* seedPartner()
    const persona = yield* Seed.createPersona(null)
    const send = under("a", "POST /topics", { key, body: { content, persona_ids: [persona.id] } })
    assert.strictEqual(formatStatusAndCode(yield* send), "400 no_valid_personas")
    yield* Seed.licensePersona(owner, persona)
    const answer = yield* send
    assert.deepStrictEqual([formatStatusAndCode(answer), replayed(answer)], ["201", null])
  })
)

registerServiceTest(
  "Idempotency: a stored response that contains a secret is encrypted, and only the hash of the key is stored",
  Effect.gen(function* () {
    const { key, token } = yield* seedPartner()
    const own = "a-key-of-the-callers-own"
    const { secret } = (yield* twice(under(own, "POST /webhooks", { key, body: validWebhookBody }))).data
    const body = { name: "Backend", scopes: ["usage:read"] }
    const created = (yield* twice(under(own, "POST /api-keys", { token, body }))).data
    const rotated = (yield* twice(under(own, `POST /api-keys/${created.id}/rotate`, { token }))).data
    const stored = yield* readAllRows
    assert.include(stored, created.key_prefix)
    for (const hidden of [secret, secret.slice(6), created.full_key, rotated.full_key, own]) {
      assert.notInclude(stored, hidden)
      assert.notInclude(stored, Buffer.from(hidden).toString("base64").slice(2, -4))
    }
  })
)
