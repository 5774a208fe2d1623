/** What makes a token of the dashboard good, whoever signed it. Which key it was signed with is the identities' to find. */
import {
  type DashboardToken,
  type IdentityUnreachable,
  TokenRefused
} from "@partner-commentary/core/access/DashboardIdentity"
import { hasControls } from "@partner-commentary/core/shared/Text"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { CryptoKey, JWTPayload, KeyObject, ProtectedHeaderParameters } from "jose"
import { decodeProtectedHeader } from "jose/decode/protected_header"
import { JWTExpired } from "jose/errors"
import { jwtVerify } from "jose/jwt/verify"

/** What a token must say. */
export interface Expected {
  readonly issuer: string
  readonly audience: string
  /** The claim that names the organization. */
  readonly organizationClaim: string
}

/** Asymmetric ones alone: with `none` or a secret, who knows the public key could sign. */
export const algorithms: ReadonlyArray<string> = ["RS256", "ES256", "EdDSA", "Ed25519"]

/** In characters; no header line that a server takes holds much more. */
const maxLength = 8 * 1024

/** In seconds: so much may the clocks of issuer and service differ. */
const tolerance = 30

/** In characters, as OpenID Connect bounds it. */
const maxSubject = 255

export type FindKey<E> = (header: ProtectedHeaderParameters) => Effect.Effect<CryptoKey | KeyObject, E>

const refused = new TokenRefused({ expired: false })

/** No key is looked for before the header is one that could be accepted, and no claim is believed before the signature is. */
export const check = Effect.fnUntraced(function* <E extends TokenRefused | IdentityUnreachable>(
  token: string,
  findKey: FindKey<E>,
  { audience, issuer, organizationClaim }: Expected
) {
  if (token.length > maxLength) return yield* refused
  const header = yield* Effect.try({ try: () => decodeProtectedHeader(token), catch: () => refused })
  if (!algorithms.includes(header.alg ?? "")) return yield* refused
  const key = yield* findKey(header)
  const currentDate = DateTime.toDateUtc(yield* DateTime.now)
  const { payload } = yield* Effect.tryPromise({
    try: () =>
      jwtVerify(token, key, {
        issuer,
        audience,
        algorithms: [...algorithms],
        requiredClaims: ["exp"],
        clockTolerance: tolerance,
        currentDate
      }),
    // It looks at the time last: who is told that a token ran out had a genuine one.
    catch: (error) => new TokenRefused({ expired: error instanceof JWTExpired })
  })
  return yield* claims(payload, organizationClaim)
})

const claims = (payload: JWTPayload, organizationClaim: string): Effect.Effect<DashboardToken, TokenRefused> => {
  const organization = Object.hasOwn(payload, organizationClaim) ? payload[organizationClaim] : undefined
  if (!Predicate.isString(organization) || organization.trim() === "" || hasControls(organization)) {
    return Effect.fail(refused)
  }
  const { sub } = payload
  const subject = Predicate.isString(sub) && sub !== "" ? sub.slice(0, maxSubject).toWellFormed() : null
  return Effect.succeed({ organization, subject })
}
