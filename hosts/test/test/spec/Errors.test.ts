/** Tests section 7 of the specification: every error code with its status, its condition and its details. */
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import {
  type ApiResponse,
  formatStatusAndCode,
  registerServiceTest,
  seedPartner,
  sendRequest,
  testClockStart,
  unknownId,
  validWebhookBody
} from "../support/conformance/Dashboard.ts"

/** Checks that a response has the error envelope of section 1, without `details`. */
const bare = (answer: ApiResponse, status: number, code: string) => {
  assert.strictEqual(formatStatusAndCode(answer), `${status} ${code}`)
  assert.deepStrictEqual(Object.keys(answer.body), ["success", "error"])
  assert.strictEqual(answer.body.success, false)
  assert.sameMembers(Object.keys(answer.error), ["code", "message"])
  assert.isString(answer.error.message)
}

/** Checks that a response has the error envelope of section 1, and returns the error's `details`. */
const detailed = (answer: ApiResponse, status: number, code: string) => {
  assert.strictEqual(formatStatusAndCode(answer), `${status} ${code}`)
  assert.strictEqual(answer.body.success, false)
  assert.sameMembers(Object.keys(answer.error), ["code", "message", "details"])
  return answer.error.details
}

registerServiceTest(
  "7 invalid_request, 400: no persona id; details {field, constraint}",
  Effect.gen(function* () {
    const { submit } = yield* seedPartner()
    const details = detailed(
      yield* submit("Will the cup be theirs again?", { more: { persona_ids: [] } }),
      400,
      "invalid_request"
    )
    assert.strictEqual(details.field, "persona_ids")
    assert.isString(details.constraint)
  })
)

registerServiceTest(
  "7 invalid_request, 400: content length out of bounds; details {field, constraint}",
  Effect.gen(function* () {
    const { submit } = yield* seedPartner()
    for (const content of ["too short", "x".repeat(501)]) {
      const details = detailed(yield* submit(content), 400, "invalid_request")
      assert.strictEqual(details.field, "content")
      assert.isString(details.constraint)
    }
  })
)

registerServiceTest(
  "7 invalid_request, 400: a parameter invalid; details {field, constraint}",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const details = detailed(yield* sendRequest("GET /topics?limit=0", { key }), 400, "invalid_request")
    assert.strictEqual(details.field, "limit")
    assert.isString(details.constraint)
  })
)

registerServiceTest(
  "7 unauthorized, 401: missing or invalid key; no details",
  Effect.gen(function* () {
    bare(yield* sendRequest("GET /topics"), 401, "unauthorized")
    bare(yield* sendRequest("GET /topics", { key: "pk_live_garbage" }), 401, "unauthorized")
    bare(yield* sendRequest("GET /api-keys", { token: "garbage" }), 401, "unauthorized")
  })
)

registerServiceTest(
  "7 key_revoked, 401: key revoked; no details",
  Effect.gen(function* () {
    const { createKey, token } = yield* seedPartner()
    const { full_key, id } = (yield* createKey()).data
    yield* sendRequest(`DELETE /api-keys/${id}`, { token })
    bare(yield* sendRequest("GET /topics", { key: full_key }), 401, "key_revoked")
  })
)

registerServiceTest(
  "7 key_expired, 401: key expired; no details",
  Effect.gen(function* () {
    const { owner } = yield* seedPartner()
    const { text: key } = yield* Seed.issueApiKey(owner, { expiresAt: testClockStart })
    bare(yield* sendRequest("GET /topics", { key }), 401, "key_expired")
  })
)

registerServiceTest(
  "7 ip_restricted, 401: request from an address not on the key's list; no details",
  Effect.gen(function* () {
    const { owner } = yield* seedPartner()
    const { text: key } = yield* Seed.issueApiKey(owner, { ipAllowList: ["203.0.113.7"] })
    bare(yield* sendRequest("GET /topics", { key }), 401, "ip_restricted")
  })
)

registerServiceTest(
  "7 scope_denied, 401: key lacks required scope; no details",
  Effect.gen(function* () {
    const { owner } = yield* seedPartner()
    const { text: key } = yield* Seed.issueApiKey(owner, { scopes: ["usage:read"] })
    bare(yield* sendRequest("GET /topics", { key }), 401, "scope_denied")
  })
)

registerServiceTest(
  "7 not_licensed, 403: no active license for the persona; details an object with persona_id",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    const { id } = yield* Seed.createPersona(null)
    const details = detailed(yield* sendRequest(`GET /personas/${id}`, { key }), 403, "not_licensed")
    assert.deepStrictEqual(details, { persona_id: id })
  })
)

registerServiceTest(
  "7 not_found, 404: topic, persona or reference does not exist; no details",
  Effect.gen(function* () {
    const { key, token } = yield* seedPartner()
    for (const line of [
      `GET /topics/${unknownId}`,
      `GET /topics/${unknownId}/status`,
      `GET /topics/${unknownId}/commentaries`,
      "GET /topics/by-reference/nothing",
      `GET /personas/${unknownId}`,
      `GET /webhooks/${unknownId}`,
      "GET /nowhere"
    ]) {
      bare(yield* sendRequest(line, { key }), 404, "not_found")
    }
    bare(yield* sendRequest(`GET /api-keys/${unknownId}`, { token }), 404, "not_found")
  })
)

registerServiceTest(
  "7 no_valid_personas: none of the requested personas could be sent to; details an array of {persona_id, status}",
  Effect.gen(function* () {
    const { submit } = yield* seedPartner()
    const { id } = yield* Seed.createPersona(null)
    const more = { persona_ids: [id, unknownId] }
    const { error, status } = yield* submit("Will the cup be theirs again?", { more })
    assert.deepStrictEqual([status, error.code], [400, "no_valid_personas"])
    assert.deepStrictEqual(error.details, [
      { persona_id: id, status: "not_licensed" },
      { persona_id: unknownId, status: "not_licensed" }
    ])
  })
)

registerServiceTest(
  "7 rate_limit_exceeded, 429: rate limit exceeded; details {retry_after (seconds), limit, remaining}",
  Effect.gen(function* () {
    const { key } = yield* seedPartner({ limits: { requests_per_hour: 1 } })
    yield* sendRequest("GET /topics", { key })
    const details = detailed(yield* sendRequest("GET /topics", { key }), 429, "rate_limit_exceeded")
    assert.deepStrictEqual(details, { retry_after: 3600, limit: 1, remaining: 0 })
  })
)

registerServiceTest(
  "7 internal_error, 500: server failure; no details, and the message does not reveal the cause",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    yield* sendRequest("GET /usage", { key })
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE topics RENAME TO lost_topics`
    const answer = yield* sendRequest("GET /topics", { key, headers: { "x-request-id": "my-request-7" } })
    bare(answer, 500, "internal_error")
    assert.include(answer.error.message, "my-request-7")
    assert.notMatch(answer.text, /topics|sql|table|column/i)
  })
)

registerServiceTest(
  "7 All errors use the error envelope, for every method, every kind of path and every kind of body",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    for (const [line, call] of [
      ["PUT /topics", { body: {} }],
      ["DELETE /usage", {}],
      ["GET /topics/", {}],
      ["POST /topics", { body: "{" }],
      ["POST /topics", { body: "[]" }],
      ["POST /topics", { body: "content=x", headers: { "content-type": "application/x-www-form-urlencoded" } }],
      ["POST /topics", { body: "x".repeat(300 * 1024) }],
      ["POST /webhooks", { body: { ...validWebhookBody, url: "ftp://partner.example" } }]
    ] as const) {
      const answer = yield* sendRequest(line, { key, ...call })
      assert.isAtLeast(answer.status, 400)
      assert.strictEqual(answer.body.success, false)
      assert.isString(answer.error.code)
      assert.isString(answer.error.message)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
    }
  })
)
