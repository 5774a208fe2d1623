/** Tests the documented decisions about API keys: the format of keys, and how keys are listed, rotated and revoked. */
import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"
import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  formatStatusAndCode,
  makeDatabaseFile,
  readAllRows,
  readInvalidFields,
  readRateLimitHeaders,
  registerServiceTest,
  runOnSeparateInstance,
  seedPartner,
  sendRequest,
  testClockStart
} from "../support/conformance/Dashboard.ts"

const inDays = (days: number) => new Date(testClockStart + days * 86_400_000).toISOString()

/** Returns a number as six base62 characters, with the most significant digit first. */
const base62 = (value: number) => {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  return Array.from({ length: 6 }, (_, index) => alphabet[Math.floor(value / 62 ** (5 - index)) % 62]).join("")
}

registerServiceTest(
  "Key text: pk_<env>_, 32 random base62 characters and a CRC-32 in base62; key_prefix ends after 8 random characters",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    const seen = new Set<string>()
    for (const environment of ["live", "test"]) {
      const { full_key, key_prefix } = (yield* createKey({ environment })).data
      assert.match(full_key, new RegExp(`^pk_${environment}_[0-9A-Za-z]{38}$`))
      assert.strictEqual(full_key.slice(-6), base62(crc32(full_key.slice(0, -6))))
      assert.strictEqual(key_prefix, full_key.slice(0, "pk_live_".length + 8))
      seen.add(full_key.slice(8, 40))
    }
    assert.strictEqual(seen.size, 2)
  })
)

registerServiceTest(
  "Key text: a mistyped key is refused without a database query",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    const { full_key } = (yield* createKey()).data
    const mistyped = full_key.replace(/.$/, (last: string) => (last === "a" ? "b" : "a"))
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE api_keys RENAME TO lost_keys`
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: full_key })), "500 internal_error")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: mistyped })), "401 unauthorized")
  })
)

registerServiceTest(
  "Key text: the database contains only the SHA-256 hash of a key",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    const { full_key } = (yield* createKey()).data
    yield* sendRequest("GET /usage", { key: full_key })
    yield* TestClock.adjust("1 minute")
    const stored = yield* readAllRows
    assert.notInclude(stored, full_key.slice(16))
    assert.include(stored, createHash("sha256").update(full_key).digest("hex"))
  })
)

registerServiceTest(
  "List: each key has only its public fields, from id and key_prefix to last_used_at and revoked_at",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    const fields = "id name key_prefix scopes environment ip_whitelist created_at expires_at last_used_at revoked_at"
    const [listed] = (yield* sendRequest("GET /api-keys", { token })).data
    assert.sameMembers(Object.keys(listed), fields.split(" "))
    assert.deepStrictEqual((yield* sendRequest(`GET /api-keys/${listed.id}`, { token })).data, listed)
  })
)

registerServiceTest(
  "Rotate: a rotation creates a key with a new id, a new full_key and the same settings",
  Effect.gen(function* () {
    const { createKey, token } = yield* seedPartner()
    const settings = { name: "App", scopes: ["usage:read"], environment: "test", ip_whitelist: ["203.0.113.7"] }
    const before = (yield* createKey(settings)).data
    const after = (yield* sendRequest(`POST /api-keys/${before.id}/rotate`, { token })).data
    assert.deepInclude(after, settings)
    assert.notStrictEqual(after.id, before.id)
    assert.notStrictEqual(after.full_key, before.full_key)
  })
)

for (const [body, milliseconds, grace] of [
  [undefined, 86_400_000, "by default 86,400"],
  [{ grace_period_seconds: 0 }, 0, "0 on a compromise"],
  [{ grace_period_seconds: 604_800 }, 604_800_000, "at most 7 days"]
] as const) {
  registerServiceTest(
    `Rotate: the old key works until the grace period ends, and is then revoked: grace_period_seconds ${grace}`,
    Effect.gen(function* () {
      const { createKey, token } = yield* seedPartner()
      const before = (yield* createKey()).data
      const rotated = yield* sendRequest(`POST /api-keys/${before.id}/rotate`, {
        token,
        ...(body === undefined ? {} : { body })
      })
      assert.strictEqual(formatStatusAndCode(rotated), "201")
      const old = Effect.map(sendRequest("GET /usage", { key: before.full_key }), formatStatusAndCode)
      if (milliseconds > 0) {
        yield* TestClock.adjust(milliseconds - 1)
        assert.strictEqual(yield* old, "200")
        yield* TestClock.adjust(1)
      }
      assert.strictEqual(yield* old, "401 key_revoked")
      assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: rotated.data.full_key })), "200")
    })
  )
}

registerServiceTest(
  "Rotate: a grace period that is negative, longer than 7 days or not a whole number is refused",
  Effect.gen(function* () {
    const { keyId, token } = yield* seedPartner()
    for (const grace_period_seconds of [604_801, -1, 1.5, "60"]) {
      const body = { grace_period_seconds }
      assert.deepStrictEqual(readInvalidFields(yield* sendRequest(`POST /api-keys/${keyId}/rotate`, { token, body })), [
        "grace_period_seconds"
      ])
    }
  })
)

registerServiceTest(
  "Rotate: the old key and the new key share their rate windows",
  Effect.gen(function* () {
    const { createKey, token } = yield* seedPartner({ limits: { requests_per_hour: 10 } })
    const before = (yield* createKey()).data
    for (const _ of [1, 2, 3]) yield* sendRequest("GET /usage", { key: before.full_key })
    const after = (yield* sendRequest(`POST /api-keys/${before.id}/rotate`, { token })).data
    assert.strictEqual(readRateLimitHeaders(yield* sendRequest("GET /usage", { key: after.full_key }))[1], 6)
    assert.strictEqual(readRateLimitHeaders(yield* sendRequest("GET /usage", { key: before.full_key }))[1], 5)
  })
)

registerServiceTest(
  "Rotate: the lifetime of the new key is as long as the original lifetime, and starts at the rotation",
  Effect.gen(function* () {
    const { createKey, owner } = yield* seedPartner()
    const before = (yield* createKey({ expires_at: inDays(30) })).data
    yield* TestClock.adjust("20 days")
    const token = yield* Seed.issueDashboardToken(owner)
    const after = (yield* sendRequest(`POST /api-keys/${before.id}/rotate`, { token })).data
    assert.strictEqual(after.expires_at, inDays(50))
  })
)

registerServiceTest(
  "Rotate: a revoked or expired key cannot be rotated",
  Effect.gen(function* () {
    const { createKey, token } = yield* seedPartner()
    const revoked = (yield* createKey()).data
    const expired = (yield* createKey({ expires_at: new Date(testClockStart + 1000).toISOString() })).data
    yield* sendRequest(`DELETE /api-keys/${revoked.id}`, { token })
    yield* TestClock.adjust("1 second")
    for (const { id } of [revoked, expired]) {
      assert.strictEqual(
        formatStatusAndCode(yield* sendRequest(`POST /api-keys/${id}/rotate`, { token })),
        "400 invalid_request"
      )
    }
  })
)

registerServiceTest(
  "Create key: an organization has at most 20 active keys in each environment",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    const { createKey: others } = yield* seedPartner()
    for (let count = 2; count <= 20; count++) assert.strictEqual(formatStatusAndCode(yield* createKey()), "201")
    assert.strictEqual(formatStatusAndCode(yield* createKey()), "400 invalid_request")
    assert.strictEqual(formatStatusAndCode(yield* createKey({ environment: "test" })), "201")
    assert.strictEqual(formatStatusAndCode(yield* others()), "201")
  })
)

registerServiceTest(
  "Revoke: the key is refused on the next request to the same node, and a repeated call returns the same revoked_at",
  Effect.gen(function* () {
    const { createKey, token } = yield* seedPartner()
    const { full_key, id } = (yield* createKey()).data
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: full_key })), "200")
    const first = yield* sendRequest(`DELETE /api-keys/${id}`, { token })
    assert.deepStrictEqual(first.data, { id, revoked_at: new Date(testClockStart).toISOString() })
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: full_key })), "401 key_revoked")
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual((yield* sendRequest(`DELETE /api-keys/${id}`, { token })).data, first.data)
  })
)

registerServiceTest(
  "Revoke: other processes refuse the key within 5 seconds",
  Effect.gen(function* () {
    const filename = yield* makeDatabaseFile
    const { createKey, key, token } = yield* runOnSeparateInstance(filename, seedPartner())
    yield* runOnSeparateInstance(
      filename,
      Effect.gen(function* () {
        const { full_key, id } = (yield* createKey()).data
        assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: full_key })), "200")
        assert.strictEqual(
          formatStatusAndCode(yield* runOnSeparateInstance(filename, sendRequest(`DELETE /api-keys/${id}`, { token }))),
          "200"
        )
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: full_key })), "401 key_revoked")
        assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key })), "200")
      })
    )
  }).pipe(Effect.scoped)
)
