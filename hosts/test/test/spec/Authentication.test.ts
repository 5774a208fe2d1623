/** Tests section 5 of the specification: authentication by key and by client address. */
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  allScopes,
  formatStatusAndCode,
  registerServiceTest,
  seedPartner,
  sendRequest,
  testClockStart,
  unknownId
} from "../support/conformance/Dashboard.ts"

/** Lists every operation of section 4 that requires the API key header. */
const operations = [
  "POST /topics",
  "GET /topics",
  `GET /topics/${unknownId}`,
  `GET /topics/${unknownId}/status`,
  `GET /topics/${unknownId}/commentaries`,
  "GET /topics/by-reference/mine",
  "GET /personas",
  `GET /personas/${unknownId}`,
  "GET /usage",
  "POST /webhooks",
  `PATCH /webhooks/${unknownId}`
]

registerServiceTest(
  "4 All endpoints: authenticate with the X-Api-Key header unless stated otherwise",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    for (const line of operations) {
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(line)), "401 unauthorized", line)
      assert.notMatch(formatStatusAndCode(yield* sendRequest(line, { key })), /^401/, line)
    }
  })
)

registerServiceTest(
  "5.1 Server-to-server requests carry the header X-Api-Key: <API_KEY>, and no other header or parameter can replace it",
  Effect.gen(function* () {
    const { key, token } = yield* seedPartner()
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { headers: { "X-Api-Key": key } })), "200")
    for (const [line, headers] of [
      ["GET /usage", { authorization: `Bearer ${key}` }],
      ["GET /usage", { authorization: `Bearer ${token}` }],
      ["GET /usage", { authorization: key }],
      [`GET /usage?api_key=${key}`, {}],
      [`GET /usage?x-api-key=${key}`, {}]
    ] as const) {
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(line, { headers })), "401 unauthorized")
    }
  })
)

registerServiceTest(
  "5.2 The full key is shown only once at creation",
  Effect.gen(function* () {
    const { createKey, token } = yield* seedPartner()
    const { full_key, id } = (yield* createKey()).data
    for (const line of ["GET /api-keys", `GET /api-keys/${id}`, `DELETE /api-keys/${id}`]) {
      const { text } = yield* sendRequest(line, { token })
      assert.notInclude(text, full_key)
      assert.notInclude(text, "full_key")
    }
  })
)

const grants = [
  ["personas:read", ["GET /personas", "GET /personas/{persona}"]],
  ["topics:submit", ["POST /topics"]],
  ["topics:read", ["GET /topics", "GET /topics/{topic}"]],
  ["usage:read", ["GET /usage"]]
] as const

for (const [scope, lines] of grants) {
  registerServiceTest(
    `5.3 Scope ${scope} grants ${lines.join(" and ")}, and no other scope does`,
    Effect.gen(function* () {
      const { owner, persona, submit } = yield* seedPartner()
      const { data } = yield* submit("Will the cup be theirs again?", {})
      const only = (yield* Seed.issueApiKey(owner, { scopes: [scope] })).text
      const others = (yield* Seed.issueApiKey(owner, {
        scopes: grants.map(([other]) => other).filter((other) => other !== scope)
      })).text
      for (const line of lines) {
        const actual = line.replace("{persona}", persona.id).replace("{topic}", data.topic_id)
        const body = { content: `Who wins, by ${scope}?`, persona_ids: [persona.id] }
        const call = line.startsWith("POST") ? { body } : {}
        assert.strictEqual(
          formatStatusAndCode(yield* sendRequest(actual, { ...call, key: others })),
          "401 scope_denied",
          line
        )
        assert.match(formatStatusAndCode(yield* sendRequest(actual, { ...call, key: only })), /^20[01]$/, line)
      }
    })
  )
}

registerServiceTest(
  "5.3 Scopes: a key can be created with the four scopes, and not with an unknown scope",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    assert.deepStrictEqual((yield* createKey({ scopes: allScopes })).data.scopes, allScopes)
    for (const scope of ["topics:write", "webhooks:delete", "*", "admin"]) {
      assert.strictEqual(formatStatusAndCode(yield* createKey({ scopes: [scope] })), "400 invalid_request")
    }
  })
)

registerServiceTest(
  "5.4 A key may be restricted to a list of IP addresses; requests from others are rejected with ip_restricted",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    const { full_key: key } = (yield* createKey({ ip_whitelist: ["203.0.113.7", "2001:db8::7"] })).data
    const from = (address: string) => sendRequest("GET /usage", { key, headers: { "x-forwarded-for": address } })
    for (const address of ["203.0.113.7", "2001:db8::7"])
      assert.strictEqual(formatStatusAndCode(yield* from(address)), "200")
    for (const address of ["203.0.113.8", "2001:db8::8"]) {
      assert.strictEqual(formatStatusAndCode(yield* from(address)), "401 ip_restricted")
    }
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key })), "401 ip_restricted")
  })
)

registerServiceTest(
  "5.5 A request whose key lacks the needed scope is rejected with scope_denied",
  Effect.gen(function* () {
    const { owner } = yield* seedPartner()
    const { text: key } = yield* Seed.issueApiKey(owner, { scopes: [] })
    for (const line of operations)
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(line, { key })), "401 scope_denied", line)
  })
)

registerServiceTest(
  "5.6 Authentication failures return HTTP 401 with unauthorized, key_revoked, key_expired, ip_restricted or scope_denied",
  Effect.gen(function* () {
    const { createKey, owner, token } = yield* seedPartner()
    const revoked = (yield* createKey()).data
    yield* sendRequest(`DELETE /api-keys/${revoked.id}`, { token })
    const expired = yield* Seed.issueApiKey(owner, { expiresAt: testClockStart })
    const restricted = yield* Seed.issueApiKey(owner, { ipAllowList: ["203.0.113.7"] })
    const denied = yield* Seed.issueApiKey(owner, { scopes: ["topics:read"] })
    for (const [key, code] of [
      ["garbage", "unauthorized"],
      [revoked.full_key, "key_revoked"],
      [expired.text, "key_expired"],
      [restricted.text, "ip_restricted"],
      [denied.text, "scope_denied"]
    ]) {
      assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key })), `401 ${code}`)
    }
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage")), "401 unauthorized")
  })
)

registerServiceTest(
  "5.7 Rotation: create a new key, switch, verify, revoke the old key; no request is refused in between",
  Effect.gen(function* () {
    const { createKey, owner } = yield* seedPartner()
    const old = (yield* createKey()).data
    yield* TestClock.adjust("90 days")
    const token = yield* Seed.issueDashboardToken(owner)
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: old.full_key })), "200")
    const body = { name: "Backend, next", scopes: allScopes }
    const next = (yield* sendRequest("POST /api-keys", { token, body })).data
    for (const { full_key: key } of [old, next])
      assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key })), "200")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest(`DELETE /api-keys/${old.id}`, { token })), "200")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: next.full_key })), "200")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: old.full_key })), "401 key_revoked")
  })
)
