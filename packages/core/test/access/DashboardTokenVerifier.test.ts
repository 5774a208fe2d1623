import { assert, it } from "@effect/vitest"
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as Effect from "effect/Effect"

it.effect("a service without an identity provider rejects every dashboard token as invalid", () =>
  Effect.gen(function* () {
    const refusal = yield* Effect.flip((yield* DashboardTokenVerifier).verify("a.b.c"))
    assert.strictEqual(refusal._tag, "TokenRefused")
    assert.isFalse(refusal._tag === "TokenRefused" && refusal.expired)
  }).pipe(Effect.provide(DashboardTokenVerifier.layerNone))
)
