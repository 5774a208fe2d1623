/** The DashboardIdentity of an identity provider that publishes its keys as a JWKS. */
import { DashboardIdentity } from "@partner-commentary/core/access/DashboardIdentity"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as JwksCache from "./JwksCache.ts"
import { algorithms, type ExpectedClaims, verify } from "./TokenVerification.ts"

export interface Options extends ExpectedClaims {
  readonly jwksUrl: string
}

/** Fetches the keys with the first token. */
export const layer = ({ jwksUrl, ...expected }: Options) =>
  Layer.effect(
    DashboardIdentity,
    Effect.map(JwksCache.make(jwksUrl), (findKey) =>
      DashboardIdentity.of({ verify: (token) => verify(token, findKey, expected) })
    )
  )

/** Counts the published keys that could sign an accepted token. */
export const countKeys = Effect.fnUntraced(function* (jwksUrl: string) {
  const keys = JwksCache.remote(jwksUrl)
  yield* JwksCache.read(keys)
  return (keys.jwks()?.keys ?? []).filter(
    ({ alg, crv, kty, use }) =>
      (use === undefined || use === "sig") &&
      (alg === undefined || algorithms.includes(alg)) &&
      (kty === "RSA" || crv === "P-256" || crv === "Ed25519")
  ).length
})
