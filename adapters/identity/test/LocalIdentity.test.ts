import { createPrivateKey, createPublicKey, hkdfSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as LocalIdentity from "@partner-commentary/identity/LocalIdentity"
import * as DashboardTokenVerifierSuite from "@partner-commentary/testkit/DashboardTokenVerifierSuite"
import { TokenIssuer, verifyTestToken } from "@partner-commentary/testkit/DashboardTokenVerifierSuite"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { SignJWT } from "jose"

const secret = "a secret of this test"
const local = LocalIdentity.layer({ secret: Redacted.make(secret) })

/** The key that every version must derive from the test's secret, so that old tokens remain valid after an upgrade. */
const privateKey = createPrivateKey({
  key: Buffer.concat([
    Buffer.from("302e020100300506032b657004220420", "hex"),
    Buffer.from(hkdfSync("sha256", secret, "", "dashboard tokens", 32))
  ]),
  format: "der",
  type: "pkcs8"
})

const mint = Layer.succeed(TokenIssuer, {
  issuer: "urn:partner-commentary:local",
  audience: "urn:partner-commentary:dashboard",
  organizationClaim: "org_id",
  sign: (claims) =>
    Effect.promise(() => new SignJWT({ ...claims }).setProtectedHeader({ alg: "EdDSA" }).sign(privateKey))
})

DashboardTokenVerifierSuite.suite("local", Layer.merge(local, mint))

const issued = Effect.flatMap(LocalIdentity.LocalTokens, ({ issue }) =>
  issue({ organization: "acme", expiresIn: Duration.hours(1) })
)

describe("Local tokens", () => {
  it.effect("local tokens are valid for the requested time, but only in processes with the same secret", () =>
    Effect.gen(function* () {
      const token = yield* issued
      const { verify } = yield* DashboardTokenVerifier
      assert.deepStrictEqual(yield* verify(token), { organization: "acme", subject: "local" })
      const elsewhere = (text: string) =>
        Effect.provide(verifyTestToken(token), Layer.fresh(LocalIdentity.layer({ secret: Redacted.make(text) })))
      assert.strictEqual(yield* elsewhere(secret), "good")
      assert.strictEqual(yield* elsewhere("another secret"), "refused")
      yield* TestClock.adjust("61 minutes")
      assert.strictEqual(yield* verifyTestToken(token), "expired")
    }).pipe(Effect.provide(local))
  )

  it.effect("a local token is also accepted if its header contains the algorithm name Ed25519 instead of EdDSA", () =>
    Effect.gen(function* () {
      const [, payload = ""] = (yield* issued).split(".")
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString())
      const token = yield* Effect.promise(() =>
        new SignJWT(claims).setProtectedHeader({ alg: "Ed25519" }).sign(privateKey)
      )
      assert.strictEqual(yield* verifyTestToken(token), "good")
    }).pipe(Effect.provide(local))
  )

  it.effect("local tokens cannot be issued with the public key", () =>
    Effect.gen(function* () {
      const [, payload = ""] = (yield* issued).split(".")
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString())
      const publicKey = createPublicKey(privateKey)
      for (const known of [
        publicKey.export({ format: "der", type: "spki" }),
        Buffer.from(publicKey.export({ format: "pem", type: "spki" })),
        Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url")
      ]) {
        const forged = yield* Effect.promise(() =>
          new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(known))
        )
        assert.strictEqual(yield* verifyTestToken(forged), "refused")
      }
    }).pipe(Effect.provide(local))
  )
})
