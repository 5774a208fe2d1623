/**
 * Tests how dashboard tokens are refused. A key is never accepted as a token, and a token is never accepted as a key.
 */
import { assert, it } from "@effect/vitest"
import { DashboardAuthentication } from "@partner-commentary/core/access/DashboardAuthentication"
import { DashboardTokenVerifier, IdentityUnreachable } from "@partner-commentary/core/access/DashboardTokenVerifier"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import * as Application from "@partner-commentary/test/Application"
import * as InMemory from "@partner-commentary/test/InMemory"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { readJson } from "../support/Json.ts"

const operations = [
  ["POST", ""],
  ["GET", ""],
  ["GET", "/x"],
  ["POST", "/x/rotate"],
  ["DELETE", "/x"]
] as const

/** Returns the status and the error code of a call. */
const answer = (method: string, path: string, headers: Record<string, string>) =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const response = yield* call(`/partner/v1/api-keys${path}`, { method, headers })
    const { error } = yield* readJson(response)
    return { status: response.status, ...error }
  })

const listed = (authorization: string) => Effect.map(answer("GET", "", { authorization }), ({ status }) => status)

it.effect("every API-key operation refuses a missing, misplaced or invalid token with the same message", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const key = yield* Seed.issueApiKey(owner)
    const token = yield* Seed.issueDashboardToken(owner)
    const nobodys = yield* Seed.issueDashboardToken({ id: "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10" })
    for (const [method, path] of operations) {
      for (const headers of [
        {},
        { "x-api-key": key.text },
        { "x-api-key": token },
        { authorization: key.text },
        { authorization: `Bearer ${key.text}` },
        { authorization: token },
        { authorization: `Basic ${token}` },
        { authorization: "Bearer" },
        { authorization: "Bearer " },
        { authorization: `Bearer ${token} ${token}` },
        { authorization: `Bearer ${token}x` },
        { authorization: `Bearer ${nobodys}` },
        { authorization: "Bearer a.b.c", "x-api-key": key.text }
      ] as ReadonlyArray<Record<string, string>>) {
        assert.deepStrictEqual(yield* answer(method, path, headers), {
          status: 401,
          code: "unauthorized",
          message: "The dashboard's token is missing or invalid. Send it as Authorization: Bearer TOKEN."
        })
      }
      const { status } = yield* answer(method, path, { authorization: `Bearer ${token}`, "x-api-key": "ignored" })
      assert.notStrictEqual(status, 401)
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("operations that require an API key do not accept a dashboard token", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const token = yield* Seed.issueDashboardToken(yield* Seed.createOrganization())
    for (const [method, path] of [
      ["GET", "/topics"],
      ["POST", "/topics"],
      ["GET", "/topics/x/status"],
      ["GET", "/personas"]
    ]) {
      const response = yield* call(`/partner/v1${path}`, { method: method ?? "", token })
      assert.strictEqual(
        (yield* readJson(response)).error.message,
        "The API key is missing or invalid. Send it as X-Api-Key: KEY."
      )
      assert.strictEqual(response.status, 401)
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the scheme of the Authorization header is case-insensitive", () =>
  Effect.gen(function* () {
    const token = yield* Seed.issueDashboardToken(yield* Seed.createOrganization())
    for (const scheme of ["Bearer", "bearer", "BEARER"]) assert.strictEqual(yield* listed(`${scheme} ${token}`), 200)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the error for an expired token says that the token has expired", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const token = yield* Seed.issueDashboardToken(owner, { expiresIn: Duration.minutes(1) })
    assert.strictEqual(yield* listed(`Bearer ${token}`), 200)
    yield* TestClock.adjust("90 seconds")
    assert.deepStrictEqual(yield* answer("GET", "", { authorization: `Bearer ${token}` }), {
      status: 401,
      code: "unauthorized",
      message: "The dashboard's token has expired."
    })
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a token can name an organization by its id in any letter case, or by its id at the identity provider", () =>
  Effect.gen(function* () {
    const first = yield* Seed.createOrganization({ identityId: "org_Acme|1" })
    const second = yield* Seed.createOrganization({ identityId: "org_Bolt|2" })
    const named = (id: string) =>
      Effect.gen(function* () {
        const { call } = yield* TestApi
        const body = { name: id, scopes: ["usage:read"] }
        const response = yield* call("/partner/v1/api-keys", {
          method: "POST",
          token: yield* Seed.issueDashboardToken({ id }),
          body
        })
        return response.status
      })
    const owned = (owner: { readonly id: string }) =>
      Effect.gen(function* () {
        const { call } = yield* TestApi
        const { data } = yield* readJson(
          yield* call("/partner/v1/api-keys", { token: yield* Seed.issueDashboardToken(owner) })
        )
        return data.length
      })
    assert.strictEqual(yield* named(first.id), 201)
    assert.strictEqual(yield* named(first.id.toUpperCase()), 201)
    assert.strictEqual(yield* named("org_Acme|1"), 201)
    assert.strictEqual(yield* named("ORG_ACME|1"), 401)
    assert.strictEqual(yield* named(second.id), 201)
    assert.deepStrictEqual([yield* owned(first), yield* owned(second)], [3, 1])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the token of a suspended organization is refused, and works again after the organization is resumed", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const registry = yield* OrganizationRegistry
    const token = `Bearer ${yield* Seed.issueDashboardToken(owner)}`
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: 0 }))
    assert.strictEqual(yield* listed(token), 401)
    yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: null }))
    assert.strictEqual(yield* listed(token), 200)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("if the identity provider is down, a dashboard gets a 500 response that does not reveal the cause", () =>
  Effect.gen(function* () {
    const { message, status } = yield* answer("GET", "", { authorization: "Bearer a.b.c" })
    assert.strictEqual(status, 500)
    assert.notInclude(message, "ECONNREFUSED")
  }).pipe(
    Effect.provide(
      TestApi.layerMemory.pipe(
        Layer.provide(Layer.fresh(DashboardAuthentication.layer)),
        Layer.provide(
          Layer.succeed(DashboardTokenVerifier, {
            verify: () => Effect.fail(new IdentityUnreachable({ reason: "connect ECONNREFUSED" }))
          })
        ),
        Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
      )
    )
  )
)
