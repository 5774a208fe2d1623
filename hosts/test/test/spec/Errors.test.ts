/** Specification, section 7: every error code with its status, its condition and its details. */
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Answer, ask, conforms, nobody, partner, start, told, webhook } from "../support/conformance/Dashboard.ts"

/** The envelope of section 1, without `details`. */
const bare = (answer: Answer, status: number, code: string) => {
  assert.strictEqual(told(answer), `${status} ${code}`)
  assert.deepStrictEqual(Object.keys(answer.body), ["success", "error"])
  assert.strictEqual(answer.body.success, false)
  assert.sameMembers(Object.keys(answer.error), ["code", "message"])
  assert.isString(answer.error.message)
}

/** The envelope with details that include these fields. */
const detailed = (answer: Answer, status: number, code: string) => {
  assert.strictEqual(told(answer), `${status} ${code}`)
  assert.strictEqual(answer.body.success, false)
  assert.sameMembers(Object.keys(answer.error), ["code", "message", "details"])
  return answer.error.details
}

conforms(
  "7 invalid_request, 400: no persona id; details {field, constraint}",
  Effect.gen(function* () {
    const { submit } = yield* partner()
    const details = detailed(
      yield* submit("Will the cup be theirs again?", { more: { persona_ids: [] } }),
      400,
      "invalid_request"
    )
    assert.strictEqual(details.field, "persona_ids")
    assert.isString(details.constraint)
  })
)

conforms(
  "7 invalid_request, 400: content length out of bounds; details {field, constraint}",
  Effect.gen(function* () {
    const { submit } = yield* partner()
    for (const content of ["too short", "x".repeat(501)]) {
      const details = detailed(yield* submit(content), 400, "invalid_request")
      assert.strictEqual(details.field, "content")
      assert.isString(details.constraint)
    }
  })
)

conforms(
  "7 invalid_request, 400: a parameter invalid; details {field, constraint}",
  Effect.gen(function* () {
    const { key } = yield* partner()
    const details = detailed(yield* ask("GET /topics?limit=0", { key }), 400, "invalid_request")
    assert.strictEqual(details.field, "limit")
    assert.isString(details.constraint)
  })
)

conforms(
  "7 unauthorized, 401: missing or invalid key; no details",
  Effect.gen(function* () {
    bare(yield* ask("GET /topics"), 401, "unauthorized")
    bare(yield* ask("GET /topics", { key: "pk_live_garbage" }), 401, "unauthorized")
    bare(yield* ask("GET /api-keys", { token: "garbage" }), 401, "unauthorized")
  })
)

conforms(
  "7 key_revoked, 401: key revoked; no details",
  Effect.gen(function* () {
    const { createKey, token } = yield* partner()
    const { full_key, id } = (yield* createKey()).data
    yield* ask(`DELETE /api-keys/${id}`, { token })
    bare(yield* ask("GET /topics", { key: full_key }), 401, "key_revoked")
  })
)

conforms(
  "7 key_expired, 401: key expired; no details",
  Effect.gen(function* () {
    const { owner } = yield* partner()
    const { text: key } = yield* Seed.key(owner, { expiresAt: start })
    bare(yield* ask("GET /topics", { key }), 401, "key_expired")
  })
)

conforms(
  "7 ip_restricted, 401: request from an address not on the key's list; no details",
  Effect.gen(function* () {
    const { owner } = yield* partner()
    const { text: key } = yield* Seed.key(owner, { ipAllowList: ["203.0.113.7"] })
    bare(yield* ask("GET /topics", { key }), 401, "ip_restricted")
  })
)

conforms(
  "7 scope_denied, 401: key lacks required scope; no details",
  Effect.gen(function* () {
    const { owner } = yield* partner()
    const { text: key } = yield* Seed.key(owner, { scopes: ["usage:read"] })
    bare(yield* ask("GET /topics", { key }), 401, "scope_denied")
  })
)

conforms(
  "7 not_licensed, 403: no active license for the persona; details an object with persona_id",
  Effect.gen(function* () {
    const { key } = yield* partner()
    const { id } = yield* Seed.persona(null)
    const details = detailed(yield* ask(`GET /personas/${id}`, { key }), 403, "not_licensed")
    assert.deepStrictEqual(details, { persona_id: id })
  })
)

conforms(
  "7 not_found, 404: topic, persona or reference does not exist; no details",
  Effect.gen(function* () {
    const { key, token } = yield* partner()
    for (const line of [
      `GET /topics/${nobody}`,
      `GET /topics/${nobody}/status`,
      `GET /topics/${nobody}/commentaries`,
      "GET /topics/by-reference/nothing",
      `GET /personas/${nobody}`,
      `GET /webhooks/${nobody}`,
      "GET /nowhere"
    ]) {
      bare(yield* ask(line, { key }), 404, "not_found")
    }
    bare(yield* ask(`GET /api-keys/${nobody}`, { token }), 404, "not_found")
  })
)

conforms(
  "7 no_valid_personas: none of the requested personas could be sent to; details an array of {persona_id, status}",
  Effect.gen(function* () {
    const { submit } = yield* partner()
    const { id } = yield* Seed.persona(null)
    const more = { persona_ids: [id, nobody] }
    const { error, status } = yield* submit("Will the cup be theirs again?", { more })
    assert.deepStrictEqual([status, error.code], [400, "no_valid_personas"])
    assert.deepStrictEqual(error.details, [
      { persona_id: id, status: "not_licensed" },
      { persona_id: nobody, status: "not_licensed" }
    ])
  })
)

conforms(
  "7 rate_limit_exceeded, 429: rate limit exceeded; details {retry_after (seconds), limit, remaining}",
  Effect.gen(function* () {
    const { key } = yield* partner({ limits: { requests_per_hour: 1 } })
    yield* ask("GET /topics", { key })
    const details = detailed(yield* ask("GET /topics", { key }), 429, "rate_limit_exceeded")
    assert.deepStrictEqual(details, { retry_after: 3600, limit: 1, remaining: 0 })
  })
)

conforms(
  "7 internal_error, 500: server failure; no details, and nothing of the failure itself",
  Effect.gen(function* () {
    const { key } = yield* partner()
    yield* ask("GET /usage", { key })
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE topics RENAME TO lost_topics`
    const answer = yield* ask("GET /topics", { key, headers: { "x-request-id": "my-request-7" } })
    bare(answer, 500, "internal_error")
    assert.include(answer.error.message, "my-request-7")
    assert.notMatch(answer.text, /topics|sql|table|column/i)
  })
)

conforms(
  "7 All errors use the error envelope: of every method, on every kind of path, for every kind of body",
  Effect.gen(function* () {
    const { key } = yield* partner()
    for (const [line, call] of [
      ["PUT /topics", { body: {} }],
      ["DELETE /usage", {}],
      ["GET /topics/", {}],
      ["POST /topics", { body: "{" }],
      ["POST /topics", { body: "[]" }],
      ["POST /topics", { body: "content=x", headers: { "content-type": "application/x-www-form-urlencoded" } }],
      ["POST /topics", { body: "x".repeat(300 * 1024) }],
      ["POST /webhooks", { body: { ...webhook, url: "ftp://partner.example" } }]
    ] as const) {
      const answer = yield* ask(line, { key, ...call })
      assert.isAtLeast(answer.status, 400)
      assert.strictEqual(answer.body.success, false)
      assert.isString(answer.error.code)
      assert.isString(answer.error.message)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
    }
  })
)
