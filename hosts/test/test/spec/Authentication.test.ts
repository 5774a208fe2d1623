/** Specification, section 5: authentication by key and by client address. */
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { allScopes, ask, conforms, nobody, partner, start, told } from "../support/conformance/Dashboard.ts"

/** Every operation of section 4 that takes the key's header. */
const operations = [
  "POST /topics",
  "GET /topics",
  `GET /topics/${nobody}`,
  `GET /topics/${nobody}/status`,
  `GET /topics/${nobody}/commentaries`,
  "GET /topics/by-reference/mine",
  "GET /personas",
  `GET /personas/${nobody}`,
  "GET /usage",
  "POST /webhooks",
  `PATCH /webhooks/${nobody}`
]

conforms(
  "4 All endpoints: authenticate with the X-Api-Key header unless stated otherwise",
  Effect.gen(function* () {
    const { key } = yield* partner()
    for (const line of operations) {
      assert.strictEqual(told(yield* ask(line)), "401 unauthorized", line)
      assert.notMatch(told(yield* ask(line, { key })), /^401/, line)
    }
  })
)

conforms(
  "5.1 Server-to-server requests carry the header X-Api-Key: <API_KEY>, and nothing else stands in for it",
  Effect.gen(function* () {
    const { key, token } = yield* partner()
    assert.strictEqual(told(yield* ask("GET /usage", { headers: { "X-Api-Key": key } })), "200")
    for (const [line, headers] of [
      ["GET /usage", { authorization: `Bearer ${key}` }],
      ["GET /usage", { authorization: `Bearer ${token}` }],
      ["GET /usage", { authorization: key }],
      [`GET /usage?api_key=${key}`, {}],
      [`GET /usage?x-api-key=${key}`, {}]
    ] as const) {
      assert.strictEqual(told(yield* ask(line, { headers })), "401 unauthorized")
    }
  })
)

conforms(
  "5.2 The full key is shown only once at creation",
  Effect.gen(function* () {
    const { createKey, token } = yield* partner()
    const { full_key, id } = (yield* createKey()).data
    for (const line of ["GET /api-keys", `GET /api-keys/${id}`, `DELETE /api-keys/${id}`]) {
      const { text } = yield* ask(line, { token })
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
  conforms(
    `5.3 Scope ${scope} grants ${lines.join(" and ")}, and no other scope does`,
    Effect.gen(function* () {
      const { owner, persona, submit } = yield* partner()
      const { data } = yield* submit("Will the cup be theirs again?", {})
      const only = (yield* Seed.key(owner, { scopes: [scope] })).text
      const others = (yield* Seed.key(owner, {
        scopes: grants.map(([other]) => other).filter((other) => other !== scope)
      })).text
      for (const line of lines) {
        const actual = line.replace("{persona}", persona.id).replace("{topic}", data.topic_id)
        const body = { content: `Who wins, by ${scope}?`, persona_ids: [persona.id] }
        const call = line.startsWith("POST") ? { body } : {}
        assert.strictEqual(told(yield* ask(actual, { ...call, key: others })), "401 scope_denied", line)
        assert.match(told(yield* ask(actual, { ...call, key: only })), /^20[01]$/, line)
      }
    })
  )
}

conforms(
  "5.3 Scopes: there are these four, and a key with an unknown one cannot be made",
  Effect.gen(function* () {
    const { createKey } = yield* partner()
    assert.deepStrictEqual((yield* createKey({ scopes: allScopes })).data.scopes, allScopes)
    for (const scope of ["topics:write", "webhooks:delete", "*", "admin"]) {
      assert.strictEqual(told(yield* createKey({ scopes: [scope] })), "400 invalid_request")
    }
  })
)

conforms(
  "5.4 A key may be restricted to a list of IP addresses; requests from others are rejected with ip_restricted",
  Effect.gen(function* () {
    const { createKey } = yield* partner()
    const { full_key: key } = (yield* createKey({ ip_whitelist: ["203.0.113.7", "2001:db8::7"] })).data
    const from = (address: string) => ask("GET /usage", { key, headers: { "x-forwarded-for": address } })
    for (const address of ["203.0.113.7", "2001:db8::7"]) assert.strictEqual(told(yield* from(address)), "200")
    for (const address of ["203.0.113.8", "2001:db8::8"]) {
      assert.strictEqual(told(yield* from(address)), "401 ip_restricted")
    }
    assert.strictEqual(told(yield* ask("GET /usage", { key })), "401 ip_restricted")
  })
)

conforms(
  "5.5 A request whose key lacks the needed scope is rejected with scope_denied",
  Effect.gen(function* () {
    const { owner } = yield* partner()
    const { text: key } = yield* Seed.key(owner, { scopes: [] })
    for (const line of operations) assert.strictEqual(told(yield* ask(line, { key })), "401 scope_denied", line)
  })
)

conforms(
  "5.6 Authentication failures return HTTP 401 with unauthorized, key_revoked, key_expired, ip_restricted or scope_denied",
  Effect.gen(function* () {
    const { createKey, owner, token } = yield* partner()
    const revoked = (yield* createKey()).data
    yield* ask(`DELETE /api-keys/${revoked.id}`, { token })
    const expired = yield* Seed.key(owner, { expiresAt: start })
    const restricted = yield* Seed.key(owner, { ipAllowList: ["203.0.113.7"] })
    const denied = yield* Seed.key(owner, { scopes: ["topics:read"] })
    for (const [key, code] of [
      ["garbage", "unauthorized"],
      [revoked.full_key, "key_revoked"],
      [expired.text, "key_expired"],
      [restricted.text, "ip_restricted"],
      [denied.text, "scope_denied"]
    ]) {
      assert.strictEqual(told(yield* ask("GET /usage", { key })), `401 ${code}`)
    }
    assert.strictEqual(told(yield* ask("GET /usage")), "401 unauthorized")
  })
)

conforms(
  "5.7 Rotation: create a new key, switch, verify, revoke the old, and no request is refused on the way",
  Effect.gen(function* () {
    const { createKey, owner } = yield* partner()
    const old = (yield* createKey()).data
    yield* TestClock.adjust("90 days")
    const token = yield* Seed.token(owner)
    assert.strictEqual(told(yield* ask("GET /usage", { key: old.full_key })), "200")
    const body = { name: "Backend, next", scopes: allScopes }
    const next = (yield* ask("POST /api-keys", { token, body })).data
    for (const { full_key: key } of [old, next]) assert.strictEqual(told(yield* ask("GET /usage", { key })), "200")
    assert.strictEqual(told(yield* ask(`DELETE /api-keys/${old.id}`, { token })), "200")
    assert.strictEqual(told(yield* ask("GET /usage", { key: next.full_key })), "200")
    assert.strictEqual(told(yield* ask("GET /usage", { key: old.full_key })), "401 key_revoked")
  })
)
