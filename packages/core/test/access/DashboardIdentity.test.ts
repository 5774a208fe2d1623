import { assert, it } from "@effect/vitest"
import { DashboardIdentity } from "@partner-commentary/core/access/DashboardIdentity"
import * as Effect from "effect/Effect"

it.effect("a service without an identity provider rejects every dashboard token as invalid", () =>
  Effect.gen(function* () {
    const refusal = yield* Effect.flip((yield* DashboardIdentity).verify("a.b.c"))
    assert.strictEqual(refusal._tag, "TokenRefused")
    assert.isFalse(refusal._tag === "TokenRefused" && refusal.expired)
  }).pipe(Effect.provide(DashboardIdentity.layerNone))
)
