/**
 * Tests the documented decisions about API-key operations with dashboard tokens. An identity provider publishes the
 * keys that verify dashboard tokens.
 */
import { createHmac, createPublicKey, type JsonWebKey } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { DashboardAuthentication } from "@partner-commentary/core/access/DashboardAuthentication"
import * as JwksIdentity from "@partner-commentary/identity/JwksIdentity"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { OAuth2Server } from "oauth2-mock-server"
import {
  formatStatusAndCode,
  readInvalidFields,
  registerServiceTest,
  seedPartner,
  sendRequest,
  testClockStart,
  testClockStartInSeconds,
  unknownId
} from "../support/conformance/Dashboard.ts"

const inDays = (days: number) => new Date(testClockStart + days * 86_400_000).toISOString()
const audience = "https://api.partner.example"

/** Starts an identity provider with one signing key for each algorithm. */
const provider = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = new OAuth2Server()
    for (const kid of ["RS256", "ES256", "PS256"]) await server.issuer.keys.generate(kid, { kid })
    await server.issuer.keys.generate("EdDSA", { kid: "EdDSA", crv: "Ed25519" })
    await server.start(0, "127.0.0.1")
    return server
  }),
  (server) => Effect.promise(() => server.stop())
)

const identified = Effect.gen(function* () {
  yield* TestClock.setTime(testClockStart)
  const server = yield* provider
  const issuer = server.issuer.url ?? ""
  const claims = (organization: string) => ({
    iss: issuer,
    aud: audience,
    exp: testClockStartInSeconds + 600,
    org_id: organization
  })
  const sign = (payload: object, kid = "RS256") =>
    Effect.promise(() =>
      server.issuer.buildToken({
        kid,
        scopesOrTransform: (_, given) => {
          for (const name of Object.keys(given)) delete given[name]
          Object.assign(given, payload)
        }
      })
    )
  const identity = JwksIdentity.layer({ jwksUrl: `${issuer}/jwks`, issuer, audience, organizationClaim: "org_id" })
  const service = TestApi.layerHttp.pipe(
    Layer.provide(Layer.fresh(DashboardAuthentication.layer)),
    Layer.provide(identity),
    Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
  )
  return { server, claims, sign, service }
})

type Setting = Effect.Success<typeof identified>

const decided = <A, E>(
  decision: string,
  test: (setting: Setting) => Effect.Effect<A, E, Layer.Success<Setting["service"]>>
) =>
  it.effect(decision, () =>
    Effect.scoped(Effect.flatMap(identified, (setting) => Effect.provide(test(setting), setting.service)))
  )

const listed = (token: string) => Effect.map(sendRequest("GET /api-keys", { token }), formatStatusAndCode)

decided(
  "API-key operations: all require a dashboard's Bearer JWT that a key of the JWKS verifies",
  ({ claims, sign }) =>
    Effect.gen(function* () {
      const owner = yield* Seed.createOrganization()
      const token = yield* sign(claims(owner.id))
      const body = { name: "Backend", scopes: ["usage:read"] }
      const created = yield* sendRequest("POST /api-keys", { token, body })
      assert.strictEqual(formatStatusAndCode(created), "201")
      const { id } = created.data
      for (const [line, status] of [
        ["GET /api-keys", "200"],
        [`GET /api-keys/${id}`, "200"],
        [`POST /api-keys/${id}/rotate`, "201"],
        [`DELETE /api-keys/${id}`, "200"]
      ] as const) {
        assert.strictEqual(
          formatStatusAndCode(yield* sendRequest(line, { key: created.data.full_key })),
          "401 unauthorized",
          line
        )
        assert.strictEqual(formatStatusAndCode(yield* sendRequest(line, { token })), status, line)
      }
    })
)

decided("API-key operations: only the algorithms RS256, ES256 and EdDSA are accepted", ({ claims, server, sign }) =>
  Effect.gen(function* () {
    const payload = claims((yield* Seed.createOrganization()).id)
    for (const algorithm of ["RS256", "ES256", "EdDSA"]) {
      assert.strictEqual(yield* listed(yield* sign(payload, algorithm)), "200", algorithm)
    }
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const unsigned = `${encoded({ alg: "none", typ: "JWT" })}.${encoded(payload)}.`
    const key = server.issuer.keys.toJSON().find(({ kid }) => kid === "RS256") as JsonWebKey
    const pem = createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "pem" })
    const head = `${encoded({ alg: "HS256", kid: "RS256" })}.${encoded(payload)}`
    const mixed = `${head}.${createHmac("sha256", pem).update(head).digest("base64url")}`
    for (const token of [unsigned, mixed, yield* sign(payload, "PS256")]) {
      assert.strictEqual(yield* listed(token), "401 unauthorized")
    }
  })
)

decided("API-key operations: the issuer, audience and expiry are verified, and an invalid token gets 401", (setting) =>
  Effect.gen(function* () {
    const { claims, sign } = setting
    const payload = claims((yield* Seed.createOrganization()).id)
    assert.strictEqual(yield* listed(yield* sign(payload)), "200")
    for (const change of [
      { iss: "https://elsewhere.example" },
      { aud: "https://elsewhere.example" },
      { exp: testClockStartInSeconds - 60 },
      { iss: undefined },
      { aud: undefined },
      { exp: undefined },
      { nbf: testClockStartInSeconds + 600 }
    ]) {
      const token = yield* sign({ ...payload, ...change })
      assert.strictEqual(yield* listed(token), "401 unauthorized", JSON.stringify(change))
    }
    for (const token of ["", "garbage", "a.b.c", `${yield* sign(payload)}x`]) {
      assert.strictEqual(yield* listed(token), "401 unauthorized")
    }
  })
)

decided("API-key operations: the claim org_id names the organization by its id or by its identity_id", (setting) =>
  Effect.gen(function* () {
    const { claims, sign } = setting
    const owner = yield* Seed.createOrganization({ identityId: "org_courtside" })
    for (const name of [owner.id, "org_courtside"]) {
      assert.strictEqual(yield* listed(yield* sign(claims(name))), "200", name)
    }
    for (const name of [unknownId, "org_unknown", ""]) {
      assert.strictEqual(yield* listed(yield* sign(claims(name))), "401 unauthorized", name)
    }
    assert.strictEqual(yield* listed(yield* sign({ ...claims(""), org_id: undefined })), "401 unauthorized")
  })
)

registerServiceTest(
  "Create key: ip_whitelist accepts IPv4 and IPv6 addresses and CIDR ranges",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    const ip_whitelist = ["203.0.113.7", "198.51.100.0/24", "2001:db8::7", "2001:db8:1::/48"]
    const { data } = yield* createKey({ ip_whitelist })
    assert.deepStrictEqual(data.ip_whitelist, ip_whitelist)
    const from = (address: string) =>
      Effect.map(
        sendRequest("GET /usage", { key: data.full_key, headers: { "x-forwarded-for": address } }),
        formatStatusAndCode
      )
    for (const address of ["203.0.113.7", "198.51.100.99", "2001:db8::7", "2001:db8:1:2::3"]) {
      assert.strictEqual(yield* from(address), "200")
    }
    for (const address of ["203.0.113.8", "198.51.101.1", "2001:db8::8", "2001:db8:2::3"]) {
      assert.strictEqual(yield* from(address), "401 ip_restricted")
    }
    assert.deepStrictEqual(readInvalidFields(yield* createKey({ ip_whitelist: ["203.0.113.0/33"] })), [
      "ip_whitelist[0]"
    ])
  })
)

registerServiceTest(
  "Create key: environment is live or test, by default live",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    assert.strictEqual((yield* createKey()).data.environment, "live")
    for (const environment of ["live", "test"]) {
      const { data } = yield* createKey({ environment })
      assert.isTrue(data.full_key.startsWith(`pk_${environment}_`))
    }
    assert.deepStrictEqual(readInvalidFields(yield* createKey({ environment: "sandbox" })), ["environment"])
  })
)

registerServiceTest(
  "Create key: expires_at is a timestamp, and by default the key does not expire",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    assert.isNull((yield* createKey()).data.expires_at)
    const { data } = yield* createKey({ expires_at: inDays(1) })
    assert.strictEqual(data.expires_at, inDays(1))
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: data.full_key })), "200")
    yield* TestClock.adjust("1 day")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: data.full_key })), "401 key_expired")
  })
)
