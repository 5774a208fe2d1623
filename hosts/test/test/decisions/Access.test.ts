/**
 * Tests the documented decisions about API keys: the order of checks, required scopes, client addresses, and
 * suspension.
 */
import { assert } from "@effect/vitest"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  actAsCreator,
  findCreatorToken,
  formatStatusAndCode,
  registerServiceTest,
  seedPartner,
  sendRequest,
  testClockStart,
  unknownId,
  validWebhookBody,
  waitForStatus
} from "../support/conformance/Dashboard.ts"
import { eventually } from "../support/Eventually.ts"

const elsewhere = { headers: { "x-forwarded-for": "203.0.113.8" } }
const inOneSecond = new Date(testClockStart + 1000).toISOString()

registerServiceTest(
  "Order of checks: an unknown path or method gets 404 before the key is checked",
  Effect.gen(function* () {
    for (const line of ["GET /nowhere", "PUT /topics", "DELETE /usage"]) {
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(line, { key: "garbage" })), "404 not_found", line)
    }
  })
)

registerServiceTest(
  "Order of checks: a revoked key, then an expired key, then the IP allow list",
  Effect.gen(function* () {
    const { createKey, token } = yield* seedPartner()
    const worst = (yield* createKey({ expires_at: inOneSecond, ip_whitelist: ["203.0.113.7"] })).data
    const bad = (yield* createKey({ expires_at: inOneSecond, ip_whitelist: ["203.0.113.7"] })).data
    yield* sendRequest(`DELETE /api-keys/${worst.id}`, { token })
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("GET /usage", { key: bad.full_key, ...elsewhere })),
      "401 ip_restricted"
    )
    yield* TestClock.adjust("1 second")
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("GET /usage", { key: worst.full_key, ...elsewhere })),
      "401 key_revoked"
    )
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("GET /usage", { key: bad.full_key, ...elsewhere })),
      "401 key_expired"
    )
  })
)

registerServiceTest(
  "Order of checks: the IP allow list, then the rate limits, then the scope",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner({ limits: { requests_per_hour: 1 } })
    const { full_key: key } = (yield* createKey({ ip_whitelist: ["203.0.113.7"], scopes: ["usage:read"] })).data
    const from = (address: string) => sendRequest("GET /topics", { key, headers: { "x-forwarded-for": address } })
    assert.strictEqual(formatStatusAndCode(yield* from("203.0.113.7")), "401 scope_denied")
    assert.strictEqual(formatStatusAndCode(yield* from("203.0.113.7")), "429 rate_limit_exceeded")
    assert.strictEqual(formatStatusAndCode(yield* from("203.0.113.8")), "401 ip_restricted")
  })
)

registerServiceTest(
  "Order of checks: the scope, then validation, then the licence, the quota and the existence of the resource",
  Effect.gen(function* () {
    const { owner, persona, submit } = yield* seedPartner({ limits: { topics_per_month: 0 } })
    const { text: reader } = yield* Seed.issueApiKey(owner, { scopes: ["topics:read"] })
    const { text: submitter } = yield* Seed.issueApiKey(owner, { scopes: ["topics:submit"] })
    assert.strictEqual(formatStatusAndCode(yield* submit("short", { key: reader })), "401 scope_denied")
    const more = { persona_ids: [unknownId] }
    assert.strictEqual(formatStatusAndCode(yield* submit("short", { key: submitter, more })), "400 invalid_request")
    const content = "Will the cup be theirs again?"
    assert.strictEqual(formatStatusAndCode(yield* submit(content, { key: submitter, more })), "400 no_valid_personas")
    const allowed = { persona_ids: [persona.id] }
    assert.strictEqual(
      formatStatusAndCode(yield* submit(content, { key: submitter, more: allowed })),
      "429 rate_limit_exceeded"
    )
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest(`GET /topics/${unknownId}`, { key: submitter })),
      "401 scope_denied"
    )
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest(`PATCH /webhooks/${unknownId}`, { key: reader, body: "{" })),
      "401 scope_denied"
    )
    const patched = sendRequest(`PATCH /webhooks/${unknownId}`, { key: submitter, body: { status: "on" } })
    assert.strictEqual(formatStatusAndCode(yield* patched), "400 invalid_request")
  })
)

const scoped = (scope: "topics:read" | "topics:submit" | "usage:read", what: string, lines: ReadonlyArray<string>) =>
  registerServiceTest(
    `Required scope: ${scope} is required for ${what}`,
    Effect.gen(function* () {
      const { key, owner, submit } = yield* seedPartner()
      const { data: topic } = yield* submit("Will the cup be theirs again?", { more: { external_reference: "mine" } })
      const { data: hook } = yield* sendRequest("POST /webhooks", { key, body: validWebhookBody })
      const { text: only } = yield* Seed.issueApiKey(owner, { scopes: [scope] })
      const all = ["personas:read", "topics:submit", "topics:read", "usage:read"] as const
      const { text: others } = yield* Seed.issueApiKey(owner, { scopes: all.filter((other) => other !== scope) })
      for (const line of lines) {
        const actual = line.replace("{topic}", topic.topic_id).replace("{webhook}", hook.id)
        const call = /^(POST|PATCH)/.test(line) ? { body: validWebhookBody } : {}
        assert.strictEqual(
          formatStatusAndCode(yield* sendRequest(actual, { ...call, key: others })),
          "401 scope_denied",
          line
        )
        assert.notMatch(formatStatusAndCode(yield* sendRequest(actual, { ...call, key: only })), /^401/, line)
      }
    })
  )

scoped("topics:read", "status, by-reference, commentaries", [
  "GET /topics/{topic}/status",
  "GET /topics/{topic}/commentaries",
  "GET /topics/by-reference/mine"
])
scoped("topics:read", "reading webhooks", ["GET /webhooks", "GET /webhooks/{webhook}"])
scoped("topics:submit", "creating, changing, testing, deleting webhooks", [
  "POST /webhooks",
  "PATCH /webhooks/{webhook}",
  "POST /webhooks/{webhook}/test",
  "POST /webhooks/{webhook}/rotate-secret",
  "DELETE /webhooks/{webhook}"
])
scoped("topics:submit", "the partner's approval, cancelling, bulk submission and simulated steps", [
  "POST /topics/{topic}/cancel",
  `POST /topics/{topic}/commentaries/${unknownId}/approve`,
  "POST /topics/bulk",
  `POST /test/assignments/${unknownId}/advance`
])
scoped("usage:read", "performance metrics", ["GET /metrics/performance"])

/** Sends a request with this X-Forwarded-For header and a key whose allow list is `address`, and returns the result. */
const forwarded = (address: string, header: string) =>
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    const { full_key: key } = (yield* createKey({ ip_whitelist: [address] })).data
    return formatStatusAndCode(yield* sendRequest("GET /usage", { key, headers: { "x-forwarded-for": header } }))
  })

registerServiceTest(
  "Client address: without trusted proxies, the client's address is the address of the socket",
  Effect.gen(function* () {
    assert.strictEqual(yield* forwarded("127.0.0.1", "203.0.113.7"), "200")
    assert.strictEqual(yield* forwarded("203.0.113.7", "203.0.113.7"), "401 ip_restricted")
  }),
  { proxies: [] }
)

registerServiceTest(
  "Client address: behind trusted proxies, the address is the right-most entry of X-Forwarded-For that is not a trusted proxy",
  Effect.gen(function* () {
    assert.strictEqual(yield* forwarded("203.0.113.7", "198.51.100.1, 203.0.113.7, 10.0.0.3"), "200")
    assert.strictEqual(yield* forwarded("203.0.113.7", "203.0.113.7, 198.51.100.1, 10.0.0.3"), "401 ip_restricted")
  })
)

registerServiceTest(
  "Suspended organization: its keys and dashboard tokens get 401 unauthorized, and work again after a resume",
  Effect.gen(function* () {
    const { createKey, key, owner, token } = yield* seedPartner()
    const { full_key: test } = (yield* createKey({ environment: "test" })).data
    const registry = yield* OrganizationRegistry
    const met = Effect.gen(function* () {
      yield* TestClock.adjust("5 seconds")
      const answers = [
        yield* sendRequest("GET /usage", { key }),
        yield* sendRequest("GET /usage", { key: test }),
        yield* sendRequest("GET /api-keys", { token })
      ]
      return [...new Set(answers.map(formatStatusAndCode))]
    })
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: testClockStart }))
    assert.deepStrictEqual(yield* met, ["401 unauthorized"])
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: null }))
    assert.deepStrictEqual(yield* met, ["200"])
  })
)

registerServiceTest(
  "Suspended organization: its creators can respond and approve, and its topics are completed",
  Effect.gen(function* () {
    const { key, owner, persona, submit } = yield* seedPartner()
    const { data } = yield* submit("Will the cup be theirs again?")
    const token = yield* findCreatorToken(persona.creator.email)
    const registry = yield* OrganizationRegistry
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: testClockStart }))
    yield* actAsCreator(token, "respond", { perspective: "Theirs, by some distance." })
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: null }))
    yield* TestClock.adjust("5 seconds")
    yield* waitForStatus(key, data.topic_id, "commentary_generated")
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: testClockStart }))
    yield* actAsCreator(token, "approve")
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: null }))
    yield* TestClock.adjust("5 seconds")
    yield* eventually(
      "completed",
      Effect.map(sendRequest(`GET /topics/${data.topic_id}`, { key }), (answer) => answer.data?.status === "completed")
    )
  })
)
