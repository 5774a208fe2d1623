/**
 * Verifies and issues dashboard tokens for development. The key that signs local tokens is derived from the signing
 * secret.
 */
import { createPrivateKey, createPublicKey, hkdfSync } from "node:crypto"
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SignJWT } from "jose/jwt/sign"
import { type ExpectedClaims, verifyToken } from "./TokenVerification.ts"

export class LocalTokens extends Context.Service<
  LocalTokens,
  {
    /** Issues a token that expires after `expiresIn`. `organization` is an organization's id or identity id. */
    readonly issue: (wanted: {
      readonly organization: string
      readonly expiresIn: Duration.Duration
      readonly subject?: string
    }) => Effect.Effect<string>
  }
>()("@partner-commentary/identity/LocalTokens") {}

const expected: ExpectedClaims = {
  issuer: "urn:partner-commentary:local",
  audience: "urn:partner-commentary:dashboard",
  organizationClaim: "org_id"
}

/** The DER prefix of an Ed25519 private key. The 32 bytes of the key follow the prefix. */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex")

/** Derives an Ed25519 key pair from the secret. Ed25519 is asymmetric, so the public key cannot issue tokens. */
const keys = (secret: Redacted.Redacted<string>) => {
  const seed = Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", "dashboard tokens", 32))
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

/** Provides local identity and local tokens. Processes with the same secret accept each other's tokens. */
export const layer = ({ secret }: { readonly secret: Redacted.Redacted<string> }) =>
  Layer.effectContext(
    Effect.gen(function* () {
      // The key is derived on demand, because most processes never need it.
      const made = yield* Effect.cached(Effect.sync(() => keys(secret)))
      const publicKey = Effect.map(made, ({ publicKey }) => publicKey)
      const identity = DashboardTokenVerifier.of({
        verify: (token) => verifyToken(token, () => publicKey, expected)
      })
      const tokens = LocalTokens.of({
        issue: Effect.fn("LocalTokens.issue")(function* ({ expiresIn, organization, subject = "local" }) {
          const now = yield* Instant.now
          const token = new SignJWT({ [expected.organizationClaim]: organization })
            .setProtectedHeader({ alg: "EdDSA", typ: "JWT" })
            .setIssuer(expected.issuer)
            .setAudience(expected.audience)
            .setSubject(subject)
            .setIssuedAt(seconds(now))
            .setExpirationTime(seconds(Instant.plus(now, expiresIn)))
          const { privateKey } = yield* made
          return yield* Effect.promise(() => token.sign(privateKey))
        })
      })
      return Context.make(DashboardTokenVerifier, identity).pipe(Context.add(LocalTokens, tokens))
    })
  )

const seconds = (instant: Instant.Instant): number => Math.floor(instant / 1000)
