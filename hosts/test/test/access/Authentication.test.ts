/** Tests every authentication error of the specification, in the specified order. */

import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { ApiKeyId } from "@partner-commentary/core/shared/Ids"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { readJson } from "../support/Json.ts"

const paths = [
  ["GET", "/topics", "topics:read"],
  ["POST", "/topics", "topics:submit"],
  ["GET", "/topics/x", "topics:read"],
  ["GET", "/topics/x/status", "topics:read"],
  ["GET", "/topics/x/commentaries", "topics:read"],
  ["GET", "/topics/by-reference/x", "topics:read"],
  ["GET", "/personas", "personas:read"],
  ["GET", "/personas/x", "personas:read"],
  ["POST", "/webhooks", "topics:submit"],
  ["GET", "/webhooks", "topics:read"],
  ["GET", "/webhooks/x", "topics:read"],
  ["PATCH", "/webhooks/x", "topics:submit"],
  ["DELETE", "/webhooks/x", "topics:submit"]
] as const

const refusal = (method: string, path: string, key?: string) =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const response = yield* call(`/partner/v1${path}`, { method, ...(key === undefined ? {} : { key }) })
    const body = yield* readJson(response)
    if (response.status === 401) {
      assert.deepStrictEqual(Object.keys(body.error).sort(), ["code", "message"])
      assert.strictEqual(body.success, false)
    }
    return response.status === 401 ? body.error.code : response.status
  })

it.effect(
  "every endpoint refuses a missing, mistyped, unknown, revoked or expired key, and a key without the scope",
  () =>
    Effect.gen(function* () {
      const owner = yield* Seed.createOrganization()
      const good = yield* Seed.issueApiKey(owner)
      const revoked = yield* Seed.issueApiKey(owner, { expiresAt: 1000 })
      yield* (yield* ApiKeys).revoke(ApiKeyId.make(revoked.id))
      const expired = yield* Seed.issueApiKey(owner, { expiresAt: 1000, ipAllowList: ["203.0.113.7"], scopes: [] })
      const elsewhere = yield* Seed.issueApiKey(owner, { ipAllowList: ["203.0.113.7"], scopes: [] })
      const mistyped = good.text.slice(0, -1) + (good.text.endsWith("A") ? "B" : "A")
      yield* TestClock.setTime(1000)
      for (const [method, path, scope] of paths) {
        const other = yield* Seed.issueApiKey(owner, {
          scopes: (["personas:read", "topics:submit", "topics:read", "usage:read"] as const).filter(
            (one) => one !== scope
          )
        })
        assert.strictEqual(yield* refusal(method, path), "unauthorized")
        assert.strictEqual(yield* refusal(method, path, "garbage"), "unauthorized")
        assert.strictEqual(yield* refusal(method, path, mistyped), "unauthorized")
        assert.strictEqual(yield* refusal(method, path, revoked.text), "key_revoked")
        assert.strictEqual(yield* refusal(method, path, expired.text), "key_expired")
        assert.strictEqual(yield* refusal(method, path, elsewhere.text), "ip_restricted")
        assert.strictEqual(yield* refusal(method, path, other.text), "scope_denied")
      }
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a revoked key is rejected on the next request", () =>
  Effect.gen(function* () {
    const key = yield* Seed.issueApiKey(yield* Seed.createOrganization())
    assert.strictEqual(yield* refusal("GET", "/topics", key.text), 200)
    yield* (yield* ApiKeys).revoke(ApiKeyId.make(key.id))
    assert.strictEqual(yield* refusal("GET", "/topics", key.text), "key_revoked")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the keys of a suspended organization are refused within seconds, and work again after a resume", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const key = yield* Seed.issueApiKey(owner)
    const registry = yield* OrganizationRegistry
    assert.strictEqual(yield* refusal("GET", "/topics", key.text), 200)
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: 0 }))
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(yield* refusal("GET", "/topics", key.text), "unauthorized")
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: null }))
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(yield* refusal("GET", "/topics", key.text), 200)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an unknown path or method gets a 404 response with the standard error body, with or without a key", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization())
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/partner/v1"],
      ["GET", "/partner/v1/Topics"],
      ["GET", "/partner/v2/topics"],
      ["DELETE", "/partner/v1/topics"],
      ["PUT", "/partner/v1/topics/x"],
      ["PATCH", "/partner/v1/personas"],
      ["GET", "/partner/v1/topics/x/status/y"],
      ["GET", "/partner/v1/topics/%ZZ"],
      ["DELETE", "/partner/v1/topics/by-reference/%ZZ"]
    ] as const) {
      for (const headers of [{}, { key }]) {
        const response = yield* call(path, { method, ...headers })
        assert.strictEqual(response.status, 404, `${method} ${path}`)
        const body = yield* readJson(response)
        assert.deepStrictEqual([body.success, body.error.code], [false, "not_found"])
        assert.include(body.error.message, "http://test.invalid/docs")
        assert.isNotNull(response.headers.get("x-request-id"))
      }
    }
    const wrong = yield* readJson(yield* call("/partner/v1/topics", { method: "DELETE", key }))
    assert.include(wrong.error.message, "This path takes no DELETE, but POST, GET.")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("every response repeats the caller's valid request id, or contains a generated id", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization())
    for (const path of ["/partner/v1/topics", "/nowhere", "/healthz", "/readyz"]) {
      const kept = yield* call(path, { key, headers: { "x-request-id": "trace-42.a:b_c" } })
      assert.strictEqual(kept.headers.get("x-request-id"), "trace-42.a:b_c")
      for (const bad of ["a b", "x".repeat(129), "<script>"]) {
        const replaced = yield* call(path, { key, headers: { "x-request-id": bad } })
        assert.match(replaced.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/)
      }
    }
  }).pipe(Effect.provide(InMemory.layer))
)
