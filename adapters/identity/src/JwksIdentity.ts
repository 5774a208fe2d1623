/** The DashboardIdentity of an identity provider that publishes its keys as a JWKS. */
import { DashboardIdentity } from "@partner-commentary/core/access/DashboardIdentity"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PublishedKeys from "./PublishedKeys.ts"
import { algorithms, check, type Expected } from "./TokenCheck.ts"

export interface Options extends Expected {
  readonly jwksUrl: string
}

/** Asks nothing before the first token comes. */
export const layer = ({ jwksUrl, ...expected }: Options) =>
  Layer.effect(
    DashboardIdentity,
    Effect.map(PublishedKeys.make(jwksUrl), (findKey) =>
      DashboardIdentity.of({ verify: (token) => check(token, findKey, expected) })
    )
  )

/** How many of the published keys could sign a token that is accepted. */
export const look = Effect.fnUntraced(function* (jwksUrl: string) {
  const keys = PublishedKeys.remote(jwksUrl)
  yield* PublishedKeys.read(keys)
  return (keys.jwks()?.keys ?? []).filter(
    ({ alg, crv, kty, use }) =>
      (use === undefined || use === "sig") &&
      (alg === undefined || algorithms.includes(alg)) &&
      (kty === "RSA" || crv === "P-256" || crv === "Ed25519")
  ).length
})
