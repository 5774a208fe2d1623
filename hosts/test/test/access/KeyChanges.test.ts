/**
 * Tests that a key's name and allow list can change without a new key, and that every key can read its own properties.
 */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { makeApiKeyCalls, sendRequestWithKey } from "../support/ApiKeyCalls.ts"
import { readJson } from "../support/Json.ts"

const start = Date.parse("2026-02-01T12:00:00.000Z")
const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

const changes = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly details: string }>`SELECT details FROM audit_log WHERE action = 'key.changed'`
)

it.effect("a changed name or allow list takes effect on the next request, and omitted fields keep their values", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { answered, create, find } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const { full_key: key, ...created } = yield* create({ name: "Backend" })
    const shown = { ...created, last_used_at: null, revoked_at: null }
    assert.strictEqual(yield* sendRequestWithKey(key), 200)

    const change = (body: object) => Effect.map(answered(200, "PATCH", `/${created.id}`, body), ({ data }) => data)
    const named = { ...shown, name: "Editorial backend" }
    assert.deepStrictEqual(yield* change({ name: " Editorial backend " }), named)
    const bound = { ...named, ip_whitelist: ["203.0.113.0/24"] }
    assert.deepStrictEqual(yield* change({ ip_whitelist: ["203.0.113.0/24"] }), bound)
    assert.strictEqual(yield* sendRequestWithKey(key), "ip_restricted")
    assert.deepStrictEqual(yield* find(created.id), bound)
    assert.deepStrictEqual(yield* change({}), bound)
    assert.deepStrictEqual(yield* change({ ip_whitelist: [] }), named)
    assert.strictEqual(yield* sendRequestWithKey(key), 200)
    const entries = yield* changes
    assert.deepStrictEqual(
      entries.map(({ details }) => JSON.parse(details)),
      [
        { by: "dashboard:ada", name: "Editorial backend" },
        { by: "dashboard:ada", ip_whitelist: ["203.0.113.0/24"] },
        { by: "dashboard:ada", ip_whitelist: [] }
      ]
    )
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a revoked key, another organization's key, or an immutable field of a key cannot be changed", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { create, find, refused, revoke } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const stranger = yield* makeApiKeyCalls(yield* Seed.createOrganization({ name: "Another" }))
    const { id } = yield* create()
    const before = yield* find(id)
    const fields = (problems: ReadonlyArray<{ readonly field: string }>) => problems.map(({ field }) => field)
    assert.deepStrictEqual(fields(yield* refused("PATCH", `/${id}`, { name: "", ip_whitelist: ["x"] })), [
      "name",
      "ip_whitelist[0]"
    ])
    for (const field of ["scopes", "environment", "expires_at"]) {
      assert.deepStrictEqual(fields(yield* refused("PATCH", `/${id}`, { [field]: before[field] })), [field])
    }
    assert.deepStrictEqual(yield* refused("PATCH", `/${unknown}`, {}), [404, "not_found"])
    assert.deepStrictEqual(yield* stranger.refused("PATCH", `/${id}`, { name: "Mine" }), [404, "not_found"])
    assert.deepStrictEqual(yield* find(id), before)
    yield* revoke(id)
    assert.deepStrictEqual(fields(yield* refused("PATCH", `/${id}`, { name: "Late" })), ["id"])
    assert.deepStrictEqual(yield* changes, [])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a key can read its organization, its scopes, its expiry, and the remaining calls in each rate window", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const owner = yield* Seed.createOrganization({ limits: { requests_per_hour: 50, burst_per_minute: 5 } })
    const { create } = yield* makeApiKeyCalls(owner)
    const { full_key: key, ...created } = yield* create({
      environment: "test",
      scopes: ["usage:read"],
      expires_at: "2026-03-01T00:00:00Z"
    })
    const { call } = yield* TestApi
    const { data } = yield* readJson(yield* call("/partner/v1/me", { key }))
    assert.deepStrictEqual(data, {
      organization: { id: owner.id, name: owner.name },
      key: { id: created.id, name: created.name, key_prefix: created.key_prefix },
      environment: "test",
      scopes: ["usage:read"],
      ip_whitelist: [],
      expires_at: "2026-03-01T00:00:00.000Z",
      revoked_at: null,
      windows: [
        { name: "requests_per_hour", limit: 50, remaining: 49, window_seconds: 3600, resets_in_seconds: 3600 },
        { name: "burst_per_minute", limit: 5, remaining: 4, window_seconds: 60, resets_in_seconds: 60 }
      ]
    })
    const without = yield* Seed.issueApiKey(owner, { scopes: [] })
    assert.strictEqual((yield* call("/partner/v1/me", { key: without.text })).status, 200)
    assert.strictEqual((yield* call("/partner/v1/me")).status, 401)
  }).pipe(Effect.provide(InMemory.layer))
)
