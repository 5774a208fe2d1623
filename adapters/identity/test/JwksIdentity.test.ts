import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as JwksIdentity from "@partner-commentary/identity/JwksIdentity"
import * as DashboardTokenVerifierSuite from "@partner-commentary/testkit/DashboardTokenVerifierSuite"
import { makeToken, TokenIssuer, verifyTestToken } from "@partner-commentary/testkit/DashboardTokenVerifierSuite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { SignJWT } from "jose"
import { TestIdentityProvider, testAudience, testOrganizationClaim } from "./Provider.ts"

const identity = Layer.unwrap(
  Effect.map(TestIdentityProvider, ({ issuer, jwksUrl }) =>
    JwksIdentity.layer({ jwksUrl, issuer, audience: testAudience, organizationClaim: testOrganizationClaim })
  )
)

const world = identity.pipe(
  Layer.provideMerge(TestIdentityProvider.mint),
  Layer.provideMerge(TestIdentityProvider.layer)
)

DashboardTokenVerifierSuite.suite("JWKS", world)

/** Signs a valid token with the given key of the provider. */
const signedBy = (kid: string) =>
  Effect.flatMap(TestIdentityProvider, ({ sign }) =>
    Effect.provideServiceEffect(
      makeToken(),
      TokenIssuer,
      Effect.map(TokenIssuer, (mint) => ({ ...mint, sign: (claims) => sign(claims, kid) }))
    )
  )

describe("Keys of an identity provider", () => {
  it.effect("tokens may be signed with RSA, P-256 or Ed25519 keys of the provider, and not with other keys", () =>
    Effect.gen(function* () {
      const provider = yield* TestIdentityProvider
      for (const algorithm of ["RS256", "ES256", "EdDSA", "RS384", "PS256", "ES384"]) {
        yield* provider.publish(algorithm, algorithm)
      }
      for (const algorithm of ["RS256", "ES256", "EdDSA"]) {
        assert.strictEqual(yield* verifyTestToken(yield* signedBy(algorithm)), "good", algorithm)
      }
      for (const algorithm of ["RS384", "PS256", "ES384"]) {
        assert.strictEqual(yield* verifyTestToken(yield* signedBy(algorithm)), "refused", algorithm)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a token that is signed with the provider's public key as an HMAC secret is refused", () =>
    Effect.gen(function* () {
      const { jwksUrl } = yield* TestIdentityProvider
      const [, payload = ""] = (yield* makeToken()).split(".")
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString())
      const { keys } = yield* Effect.promise(() => fetch(jwksUrl).then((response) => response.json()))
      for (const secret of [keys[0].n, JSON.stringify(keys[0])]) {
        for (const header of [
          { alg: "HS256", kid: "first" },
          { alg: "HS256", jwk: { kty: "oct", k: "AAAA" } }
        ]) {
          const forged = yield* Effect.promise(() =>
            new SignJWT(claims).setProtectedHeader(header).sign(new TextEncoder().encode(secret))
          )
          assert.strictEqual(yield* verifyTestToken(forged), "refused")
        }
      }
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "a token whose header contains a key or a key URL is refused, because only the provider's own keys are accepted",
    () =>
      Effect.gen(function* () {
        const other = Context.get(yield* Layer.build(Layer.fresh(TestIdentityProvider.layer)), TestIdentityProvider)
        const { issuer, readings } = yield* TestIdentityProvider
        const mint = yield* TokenIssuer
        const elsewhere = yield* Effect.provideService(makeToken({ iss: issuer }), TokenIssuer, {
          ...mint,
          sign: (claims) => other.sign(claims)
        })
        assert.strictEqual(yield* verifyTestToken(elsewhere), "refused")
        assert.strictEqual(yield* other.readings, 0)
        assert.strictEqual(yield* readings, 1)
      }).pipe(Effect.provide(world))
  )

  it.effect("the keys of a provider are fetched once for many tokens, and again every ten minutes", () =>
    Effect.gen(function* () {
      const { readings } = yield* TestIdentityProvider
      const good = yield* makeToken()
      assert.strictEqual(yield* readings, 0)
      yield* Effect.all(
        Array.from({ length: 20 }, () => verifyTestToken(good)),
        { concurrency: "unbounded" }
      )
      yield* TestClock.adjust("9 minutes")
      yield* verifyTestToken(good)
      assert.strictEqual(yield* readings, 1)
      yield* TestClock.adjust("1 minute")
      yield* verifyTestToken(good)
      assert.strictEqual(yield* readings, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "a new key of the provider is accepted immediately, and a withdrawn key is accepted for ten more minutes",
    () =>
      Effect.gen(function* () {
        const provider = yield* TestIdentityProvider
        const old = yield* signedBy("first")
        assert.strictEqual(yield* verifyTestToken(old), "good")
        yield* TestClock.adjust("1 minute")
        yield* provider.publish("second")
        assert.strictEqual(yield* verifyTestToken(yield* signedBy("second")), "good")
        assert.strictEqual(yield* verifyTestToken(old), "good")
        yield* provider.withdraw("first")
        assert.strictEqual(yield* verifyTestToken(old), "good")
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* verifyTestToken(old), "refused")
        assert.strictEqual(yield* verifyTestToken(yield* signedBy("second")), "good")
      }).pipe(Effect.provide(world))
  )

  it.effect("tokens with unknown keys cause only one fetch in ten seconds", () =>
    Effect.gen(function* () {
      const provider = yield* TestIdentityProvider
      yield* verifyTestToken(yield* signedBy("first"))
      yield* provider.publish("hidden")
      yield* provider.withdraw("hidden")
      const unknown = yield* signedBy("hidden")
      for (let times = 0; times < 5; times++) assert.strictEqual(yield* verifyTestToken(unknown), "refused")
      assert.strictEqual(yield* provider.readings, 1)
      yield* TestClock.adjust("10 seconds")
      for (let times = 0; times < 5; times++) assert.strictEqual(yield* verifyTestToken(unknown), "refused")
      assert.strictEqual(yield* provider.readings, 2)
    }).pipe(Effect.provide(world))
  )
})

describe("Identity provider that is down", () => {
  it.effect(
    "while the provider is down, known keys stay valid for a day, and tokens with unknown keys cannot be verified",
    () =>
      Effect.gen(function* () {
        const provider = yield* TestIdentityProvider
        yield* provider.publish("second")
        yield* provider.withdraw("second")
        const [known, unknown] = [yield* signedBy("first"), yield* signedBy("second")]
        assert.strictEqual(yield* verifyTestToken(known), "good")
        yield* provider.stop
        yield* TestClock.adjust("30 minutes")
        assert.strictEqual(yield* verifyTestToken(known), "good")
        assert.strictEqual(yield* verifyTestToken(unknown), "unreachable")
        assert.strictEqual(yield* verifyTestToken("a.b.c"), "refused")
        yield* TestClock.adjust("24 hours")
        assert.strictEqual(yield* verifyTestToken(yield* signedBy("first")), "unreachable")
        yield* provider.restart
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* verifyTestToken(yield* signedBy("first")), "good")
        assert.strictEqual(yield* verifyTestToken(yield* signedBy("second")), "refused")
      }).pipe(Effect.provide(world))
  )

  it.effect("the warning about a provider that is down mentions cached keys only if there are cached keys", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const listening = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const provider = yield* TestIdentityProvider
      const good = yield* signedBy("first")
      yield* provider.stop
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* verifyTestToken(good), "unreachable")
        yield* provider.restart
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* verifyTestToken(good), "good")
        yield* provider.stop
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* verifyTestToken(good), "good")
        yield* TestClock.adjust("24 hours")
        assert.strictEqual(yield* verifyTestToken(yield* signedBy("first")), "unreachable")
      }).pipe(Effect.provide(listening))
      const nobody = "No token can be judged until it answers."
      assert.deepStrictEqual(
        said.map((line) => line.replace(/^The identity provider cannot be reached: [^.]+ [\d.:]+\d\. /, "")),
        [nobody, "Its known keys serve on, for 1d at most.", nobody]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("if the provider is down when the service starts, verification fails with an error of one sentence", () =>
    Effect.gen(function* () {
      const provider = yield* TestIdentityProvider
      const good = yield* makeToken()
      yield* provider.stop
      const error = yield* Effect.flip(Effect.flatMap(DashboardTokenVerifier, ({ verify }) => verify(good)))
      assert.match(error.message, /^The identity provider cannot be reached: connect ECONNREFUSED [\d.:]+$/)
    }).pipe(Effect.provide(world))
  )

  it.effect("a provider that returns no keys is treated as if the provider were down", () =>
    Effect.gen(function* () {
      const good = yield* makeToken()
      const mint = yield* TokenIssuer
      for (const [status, body] of [
        [200, "<html>"],
        [200, '{"keys": 7}'],
        [500, '{"keys": []}'],
        [302, ""]
      ] as const) {
        const server = createServer((_, response) => {
          response.writeHead(status, { location: "http://127.0.0.1:9/" }).end(body)
        })
        yield* Effect.acquireRelease(
          Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
          () => Effect.sync(() => server.close())
        )
        const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
        const layer = JwksIdentity.layer({
          jwksUrl,
          issuer: mint.issuer,
          audience: testAudience,
          organizationClaim: testOrganizationClaim
        })
        assert.strictEqual(yield* Effect.provide(verifyTestToken(good), layer), "unreachable", body)
        assert.strictEqual((yield* Effect.flip(JwksIdentity.countSigningKeys(jwksUrl)))._tag, "IdentityUnreachable")
      }
    }).pipe(Effect.provide(world))
  )
})

it.effect("a key set larger than 1 MiB is not read to its end", () =>
  Effect.gen(function* () {
    const { jwksUrl } = yield* TestIdentityProvider
    const published = yield* Effect.promise(() => fetch(jwksUrl).then((response) => response.json()))
    const padded = (bytes: number) => JSON.stringify({ ...published, padding: "x".repeat(bytes) })
    for (const [bytes, isRead] of [
      [512 * 1024, true],
      [2 * 1024 * 1024, false]
    ] as const) {
      const server = createServer((_, response) => void response.end(padded(bytes)))
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close())
      )
      const looked = yield* Effect.result(
        JwksIdentity.countSigningKeys(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      )
      assert.strictEqual(looked._tag, isRead ? "Success" : "Failure")
      if (looked._tag === "Failure") assert.include(looked.failure.message, "the key set is larger than 1 MiB")
    }
  }).pipe(Effect.provide(world))
)

it.effect("countSigningKeys counts only published keys whose type, algorithm and use the service accepts", () =>
  Effect.gen(function* () {
    const provider = yield* TestIdentityProvider
    assert.strictEqual(yield* JwksIdentity.countSigningKeys(provider.jwksUrl), 1)
    yield* provider.publish("second", "ES256")
    yield* provider.publish("third", "ES384")
    assert.strictEqual(yield* JwksIdentity.countSigningKeys(provider.jwksUrl), 2)
  }).pipe(Effect.provide(world))
)
