/** Tests how a partner's dashboard manages API keys: the responses, the effects on the keys, and the refusals. */
import { assert, it } from "@effect/vitest"
import { ApiKeyStore } from "@partner-commentary/core/access/ApiKeyStore"
import { ApiKeyId } from "@partner-commentary/core/shared/Ids"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { makeApiKeyCalls, sendRequestWithKey, validApiKeyBody } from "../support/ApiKeyCalls.ts"
import { readJson } from "../support/Json.ts"

const start = Date.parse("2026-02-01T12:00:00.000Z")
const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

it.effect("creating, rotating or revoking a key takes effect on the next request", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const owner = yield* Seed.createOrganization()
    const { ask, create, find, list, revoke, rotate } = yield* makeApiKeyCalls(owner)

    const created = yield* create({ name: "  Backend  " })
    assert.match(created.full_key, /^pk_live_[0-9A-Za-z]{38}$/)
    assert.deepStrictEqual(created, {
      id: created.id,
      name: "Backend",
      full_key: created.full_key,
      key_prefix: created.full_key.slice(0, 16),
      scopes: validApiKeyBody.scopes,
      created_at: "2026-02-01T12:00:00.000Z",
      environment: "live",
      ip_whitelist: [],
      expires_at: null
    })
    const { full_key: old, ...kept } = created
    const shown = { ...kept, last_used_at: null, revoked_at: null }
    assert.strictEqual(yield* sendRequestWithKey(old), 200)
    yield* (yield* ApiKeyStore).markUsed([{ id: ApiKeyId.make(created.id), at: start }])
    const used = { ...shown, last_used_at: "2026-02-01T12:00:00.000Z" }
    assert.deepStrictEqual(yield* list, [used])
    assert.deepStrictEqual(yield* find(created.id), used)
    assert.deepStrictEqual(yield* find(created.id.toUpperCase()), used)

    yield* TestClock.adjust("1 hour")
    const successor = yield* rotate(created.id, { grace_period_seconds: 3600 })
    assert.notStrictEqual(successor.id, created.id)
    assert.deepStrictEqual(successor, {
      ...kept,
      id: successor.id,
      full_key: successor.full_key,
      key_prefix: successor.full_key.slice(0, 16),
      created_at: "2026-02-01T13:00:00.000Z",
      replaces: { id: created.id, revoked_at: "2026-02-01T14:00:00.000Z" }
    })
    assert.deepStrictEqual([yield* sendRequestWithKey(old), yield* sendRequestWithKey(successor.full_key)], [200, 200])
    const both = yield* list
    assert.deepStrictEqual(
      both.map(({ id, revoked_at }: Record<string, unknown>) => [id, revoked_at]),
      [
        [successor.id, null],
        [created.id, "2026-02-01T14:00:00.000Z"]
      ]
    )
    assert.notInclude(JSON.stringify(both), "full_key")
    yield* TestClock.adjust("59 minutes")
    assert.strictEqual(yield* sendRequestWithKey(old), 200)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(
      [yield* sendRequestWithKey(old), yield* sendRequestWithKey(successor.full_key)],
      ["key_revoked", 200]
    )

    const ended = yield* revoke(successor.id)
    assert.deepStrictEqual(ended, { id: successor.id, revoked_at: "2026-02-01T14:00:00.000Z" })
    assert.strictEqual(yield* sendRequestWithKey(successor.full_key), "key_revoked")
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* revoke(successor.id), ended)
    assert.strictEqual((yield* ask("GET", `/${successor.id}`)).status, 200)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a 201 response contains the new key's URL, and the audit log records every change of a key", () =>
  Effect.gen(function* () {
    const { ask, create, revoke, rotate } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const { id } = yield* create()
    for (const [path, body] of [
      ["", validApiKeyBody],
      [`/${id}/rotate`, undefined]
    ] as const) {
      const response = yield* ask("POST", path, body)
      const { data } = (yield* Effect.promise(() => response.json())) as { data: { id: string } }
      assert.strictEqual(response.headers.get("location"), `/partner/v1/api-keys/${data.id}`)
      assert.strictEqual(response.headers.get("cache-control"), "no-store")
      yield* rotate(data.id)
      yield* revoke(data.id)
      yield* revoke(data.id)
    }
    const sql = yield* SqlClient.SqlClient
    const log = yield* sql<{
      readonly action: string
      readonly details: string
    }>`SELECT * FROM audit_log ORDER BY number`
    assert.deepStrictEqual(
      log.map(({ action }) => action),
      [
        ...["key.created", "key.created", "key.rotated", "key.revoked"],
        ...["key.rotated", "key.rotated", "key.revoked"]
      ]
    )
    for (const { details } of log) assert.strictEqual(JSON.parse(details).by, "dashboard:ada")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("after a rotation, the old key works for a day by default, and not at all if the grace period is 0", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { ask, create, rotate } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const [usual, empty, leaked] = [yield* create(), yield* create(), yield* create()]
    const { replaces } = yield* rotate(usual.id)
    assert.strictEqual(replaces.revoked_at, "2026-02-02T12:00:00.000Z")
    assert.strictEqual((yield* ask("POST", `/${empty.id}/rotate`, "")).status, 201)
    assert.strictEqual(yield* sendRequestWithKey(leaked.full_key), 200)
    yield* rotate(leaked.id, { grace_period_seconds: 0 })
    assert.strictEqual(yield* sendRequestWithKey(leaked.full_key), "key_revoked")
    yield* TestClock.adjust("24 hours")
    assert.strictEqual(yield* sendRequestWithKey(usual.full_key), "key_revoked")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a rotation copies the settings and lifetime to the new key, and the grace period ends no later than the old key's expiry",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { create, rotate } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
      const settings = {
        name: "Sandbox",
        scopes: ["usage:read"],
        environment: "test",
        ip_whitelist: ["203.0.113.0/24", "2001:db8::1"],
        expires_at: "2026-02-11T13:00:00+01:00"
      }
      const created = yield* create(settings)
      assert.match(created.full_key, /^pk_test_/)
      assert.strictEqual(created.expires_at, "2026-02-11T12:00:00.000Z")
      yield* TestClock.adjust("9 days")
      const { replaces, ...successor } = yield* rotate(created.id, { grace_period_seconds: 604_800 })
      assert.deepInclude(successor, { ...settings, expires_at: "2026-02-20T12:00:00.000Z" })
      assert.strictEqual(replaces.revoked_at, created.expires_at)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a revoked, expired or already rotated key cannot be rotated, and the error gives the reason", () =>
  Effect.gen(function* () {
    const { create, refused, revoke, rotate } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const [revoked, rotated] = [yield* create(), yield* create()]
    const expired = yield* create({ expires_at: "1970-01-01T00:00:01Z" })
    yield* revoke(revoked.id)
    yield* rotate(rotated.id)
    yield* TestClock.adjust("1 second")
    for (const [{ id }, reason] of [
      [revoked, "revoked"],
      [expired, "expired"],
      [rotated, "rotated already"]
    ] as const) {
      const [problem] = yield* refused("POST", `/${id}/rotate`)
      assert.strictEqual(problem.field, "id")
      assert.include(problem.constraint, reason)
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("only one of ten concurrent rotations of a key creates a new key", () =>
  Effect.gen(function* () {
    const { ask, create, list } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const { id } = yield* create()
    const responses = yield* Effect.all(
      Array.from({ length: 10 }, () => ask("POST", `/${id}/rotate`)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(responses.map(({ status }) => status).sort(), [201, ...Array.from({ length: 9 }, () => 400)])
    assert.lengthOf(yield* list, 2)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "an organization can create at most 20 keys per environment, even concurrently, and can still rotate keys at the limit",
  () =>
    Effect.gen(function* () {
      const { ask, create, list, refused, revoke, rotate } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
      for (const environment of ["live", "test"]) {
        const responses = yield* Effect.all(
          Array.from({ length: 30 }, () => ask("POST", "", { ...validApiKeyBody, environment })),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          responses.filter(({ status }) => status === 201),
          20
        )
        assert.lengthOf(
          responses.filter(({ status }) => status === 400),
          10
        )
      }
      const keys = yield* list
      assert.lengthOf(keys, 40)
      const [problem] = yield* refused("POST", "", validApiKeyBody)
      assert.strictEqual(problem.field, "environment")
      assert.include(problem.constraint, "20 active keys")
      const live = keys.filter(({ environment }: { environment: string }) => environment === "live")
      yield* rotate(live[0].id)
      assert.strictEqual((yield* ask("POST", "", validApiKeyBody)).status, 400)
      yield* revoke(live[1].id)
      yield* create()
      assert.strictEqual((yield* ask("POST", "", validApiKeyBody)).status, 400)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("another organization's key and an unknown key get the same 404 response, byte for byte", () =>
  Effect.gen(function* () {
    const mine = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const theirs = yield* makeApiKeyCalls(yield* Seed.createOrganization({ name: "Rival" }))
    const { full_key, id } = yield* theirs.create()
    const bytes = (method: string, path: string) =>
      Effect.gen(function* () {
        const { call } = yield* TestApi
        const token = yield* Seed.issueDashboardToken(yield* Seed.createOrganization())
        const response = yield* call(`/partner/v1/api-keys/${path}`, {
          method,
          token,
          headers: { "x-request-id": "same" }
        })
        return JSON.stringify([response.status, [...response.headers], yield* Effect.promise(() => response.text())])
      })
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/rotate"]
    ] as const) {
      const other = yield* bytes(method, id + path)
      assert.include(other, "API key not found.")
      assert.strictEqual(other, yield* bytes(method, unknown + path))
      assert.strictEqual(other, yield* bytes(method, `not-an-id${path}`))
      assert.deepStrictEqual(yield* mine.refused(method, `/${id}${path}`), [404, "not_found"])
    }
    assert.deepStrictEqual(yield* mine.list, [])
    assert.strictEqual(yield* sendRequestWithKey(full_key), 200)
    assert.strictEqual((yield* theirs.find(id)).revoked_at, null)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the list omits keys that ended more than 90 days ago, and such a key can still be read by id", () =>
  Effect.gen(function* () {
    const { create, find, list, revoke } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const [lasting, revoked] = [yield* create(), yield* create()]
    const expired = yield* create({ expires_at: "1970-01-01T01:00:00Z" })
    yield* revoke(revoked.id)
    yield* TestClock.adjust("90 days")
    assert.lengthOf(yield* list, 3)
    yield* TestClock.adjust("2 hours")
    assert.deepStrictEqual(
      (yield* list).map(({ id }: { id: string }) => id),
      [lasting.id]
    )
    for (const { id } of [revoked, expired]) assert.strictEqual((yield* find(id)).id, id)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an organization can create at most 100 keys a day, because each key has its own rate windows", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization()
    const token = yield* Seed.issueDashboardToken(owner, { expiresIn: Duration.days(2) })
    const post = (path: string, body: unknown) => call(`/partner/v1/api-keys${path}`, { method: "POST", token, body })
    const created = yield* readJson(yield* post("", { name: "One", scopes: ["topics:read"] }))
    let id: string = created.data.id
    for (let count = 2; count <= 100; count++) {
      const rotated = yield* post(`/${id}/rotate`, { grace_period_seconds: 0 })
      assert.strictEqual(rotated.status, 201)
      id = (yield* readJson(rotated)).data.id
    }
    for (const refused of [
      yield* post(`/${id}/rotate`, {}),
      yield* post("", { name: "Two", scopes: ["topics:read"] })
    ]) {
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [429, "86400"])
      assert.strictEqual(refused.headers.get("x-ratelimit-limit"), "1000000")
      assert.deepStrictEqual((yield* readJson(refused)).error.details, {
        retry_after: 86400,
        limit: 100,
        remaining: 0
      })
    }
    yield* TestClock.adjust("1 day")
    assert.strictEqual((yield* post(`/${id}/rotate`, {})).status, 201)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a stored scope that this version does not know is hidden and grants nothing, and a rotation copies it", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const { call } = yield* TestApi
    const { create, find, list, rotate } = yield* makeApiKeyCalls(owner)
    const { id, full_key: key } = yield* create({ scopes: ["topics:read", "topics:submit"] })
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE api_keys SET scopes = ${JSON.stringify(["topics:read", "webhooks:audit"])} WHERE id = ${id}`
    assert.deepStrictEqual(
      (yield* list).map(({ scopes }: { scopes: unknown }) => scopes),
      [["topics:read"]]
    )
    assert.deepStrictEqual((yield* find(id)).scopes, ["topics:read"])
    assert.strictEqual(yield* sendRequestWithKey(key), 200)
    assert.deepStrictEqual((yield* readJson(yield* call("/partner/v1/me", { key }))).data.scopes, ["topics:read"])
    // A key without any webhook scope can normally read webhooks. The service refuses this key, because the unknown
    // scope may be a webhook scope.
    assert.strictEqual((yield* call("/partner/v1/webhooks", { key })).status, 401)
    const successor = yield* rotate(id)
    assert.deepStrictEqual(successor.scopes, ["topics:read"])
    const [stored] = yield* sql<{ readonly scopes: string }>`SELECT scopes FROM api_keys WHERE id = ${successor.id}`
    assert.include(stored?.scopes, "webhooks:audit")
  }).pipe(Effect.provide(InMemory.layer))
)
