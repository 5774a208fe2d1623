/** Verifies the header, signature and claims of a dashboard token. Callers provide the function that finds the key. */
import {
  type DashboardTokenClaims,
  type IdentityUnreachable,
  TokenRefused
} from "@partner-commentary/core/access/DashboardTokenVerifier"
import { hasForbiddenControlCharacters } from "@partner-commentary/core/shared/Text"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { CryptoKey, JWTPayload, KeyObject, ProtectedHeaderParameters } from "jose"
import { decodeProtectedHeader } from "jose/decode/protected_header"
import { JWTExpired } from "jose/errors"
import { jwtVerify } from "jose/jwt/verify"

/** The claim values that a valid token must have. */
export interface ExpectedClaims {
  readonly issuer: string
  readonly audience: string
  /** The name of the claim that contains the organization. */
  readonly organizationClaim: string
}

/**
 * The allowed signature algorithms, all of which are asymmetric. With HMAC, everyone who knows the public key could
 * sign a token, and with `none`, a token needs no signature.
 */
export const allowedTokenAlgorithms: ReadonlyArray<string> = ["RS256", "ES256", "EdDSA", "Ed25519"]

/**
 * The maximum length of a token in characters. A much longer token would exceed the header limits of common HTTP
 * servers.
 */
const maxLength = 8 * 1024

/** The maximum difference between the clocks of the issuer and the service, in seconds. */
const tolerance = 30

/** The maximum length of a user id in characters, as in OpenID Connect. */
const maxSubject = 255

export type FindVerificationKey<E> = (header: ProtectedHeaderParameters) => Effect.Effect<CryptoKey | KeyObject, E>

const refused = new TokenRefused({ expired: false })

/**
 * Verifies a dashboard token. The function checks the header before it looks for a key, and the signature before it
 * reads the claims.
 */
export const verifyToken = Effect.fnUntraced(function* <E extends TokenRefused | IdentityUnreachable>(
  token: string,
  findKey: FindVerificationKey<E>,
  { audience, issuer, organizationClaim }: ExpectedClaims
) {
  if (token.length > maxLength) return yield* refused
  const header = yield* Effect.try({ try: () => decodeProtectedHeader(token), catch: () => refused })
  if (!allowedTokenAlgorithms.includes(header.alg ?? "")) return yield* refused
  const key = yield* findKey(header)
  const currentDate = DateTime.toDateUtc(yield* DateTime.now)
  const { payload } = yield* Effect.tryPromise({
    try: () =>
      jwtVerify(token, key, {
        issuer,
        audience,
        algorithms: [...allowedTokenAlgorithms],
        requiredClaims: ["exp"],
        clockTolerance: tolerance,
        currentDate
      }),
    // The expiry is checked after the signature, so that only the holder of a genuine token learns that the token has
    // expired.
    catch: (error) => new TokenRefused({ expired: error instanceof JWTExpired })
  })
  return yield* claims(payload, organizationClaim)
})

const claims = (payload: JWTPayload, organizationClaim: string): Effect.Effect<DashboardTokenClaims, TokenRefused> => {
  const organization = Object.hasOwn(payload, organizationClaim) ? payload[organizationClaim] : undefined
  if (!Predicate.isString(organization) || organization.trim() === "" || hasForbiddenControlCharacters(organization)) {
    return Effect.fail(refused)
  }
  const { sub } = payload
  const subject = Predicate.isString(sub) && sub !== "" ? sub.slice(0, maxSubject).toWellFormed() : null
  return Effect.succeed({ organization, subject })
}
