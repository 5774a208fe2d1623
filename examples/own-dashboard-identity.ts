/**
 * Implements DashboardTokenVerifier for a host whose login signs tokens with a secret that the host shares with the
 * service. This adapter needs no identity provider or JWKS.
 */
import { DashboardTokenVerifier, TokenRefused } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { errors, jwtVerify } from "jose"

// #region own-dashboard-identity
export const layer = (secret: Redacted.Redacted<string>, rules: { issuer: string; audience: string }) => {
  const key = new TextEncoder().encode(Redacted.value(secret))
  const always = { ...rules, algorithms: ["HS256"], requiredClaims: ["exp"], clockTolerance: 30 }
  const refused = new TokenRefused({ expired: false })
  return Layer.succeed(DashboardTokenVerifier, {
    verify: Effect.fnUntraced(function* (token) {
      if (token.length > 8 * 1024) return yield* refused
      const currentDate = DateTime.toDateUtc(yield* DateTime.now)
      const { payload } = yield* Effect.tryPromise({
        try: () => jwtVerify(token, key, { ...always, currentDate }),
        catch: (error) => (error instanceof errors.JWTExpired ? new TokenRefused({ expired: true }) : refused)
      })
      const { sub, tenant } = payload
      if (typeof tenant !== "string" || !/^(?=.*\S)\P{Cc}+$/u.test(tenant)) return yield* refused
      return { organization: tenant, subject: sub?.slice(0, 255) ?? null }
    })
  })
}
// #endregion
