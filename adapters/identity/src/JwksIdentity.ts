/** Verifies dashboard tokens of an identity provider that publishes its keys as a JWKS. */
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as JwksCache from "./JwksCache.ts"
import { allowedTokenAlgorithms, type ExpectedClaims, verifyToken } from "./TokenVerification.ts"

export interface JwksIdentityOptions extends ExpectedClaims {
  readonly jwksUrl: string
}

/** Provides DashboardTokenVerifier. The service fetches the keys when the first token arrives. */
export const layer = ({ jwksUrl, ...expected }: JwksIdentityOptions) =>
  Layer.effect(
    DashboardTokenVerifier,
    Effect.map(JwksCache.makeJwksCache(jwksUrl), (findKey) =>
      DashboardTokenVerifier.of({ verify: (token) => verifyToken(token, findKey, expected) })
    )
  )

/** Counts the provider's published keys that this service accepts for token signatures. */
export const countSigningKeys = Effect.fnUntraced(function* (jwksUrl: string) {
  const keys = JwksCache.makeRemoteKeySet(jwksUrl)
  yield* JwksCache.fetchKeySet(keys)
  return (keys.jwks()?.keys ?? []).filter(
    ({ alg, crv, kty, use }) =>
      (use === undefined || use === "sig") &&
      (alg === undefined || allowedTokenAlgorithms.includes(alg)) &&
      (kty === "RSA" || crv === "P-256" || crv === "Ed25519")
  ).length
})
