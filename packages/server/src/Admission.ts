/** Whether a call may go on: the key, its address list, its scope, in the decided order. */
import * as Errors from "@partner-commentary/api/Errors"
import { ApiKeys, type Principal, requireScope } from "@partner-commentary/core/access/ApiKeys"
import type { Scope } from "@partner-commentary/core/access/Scope"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** What a call shows of its caller. */
export interface Caller {
  /** `X-Api-Key`, `""` where it is missing. */
  readonly key: string
  readonly address: string
}

export type Refusal =
  | Errors.Unauthorized
  | Errors.KeyRevoked
  | Errors.KeyExpired
  | Errors.IpRestricted
  | Errors.ScopeDenied

export class Admission extends Context.Service<
  Admission,
  {
    /** Without a scope, any good key is admitted. */
    readonly admit: (caller: Caller, scope: Scope | undefined) => Effect.Effect<Principal, Refusal>
  }
>()("@partner-commentary/server/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      return Admission.of({
        admit: Effect.fnUntraced(
          function* ({ address, key }, scope) {
            const principal = yield* keys.authenticate(key, address)
            if (scope !== undefined) yield* requireScope(principal, scope)
            return principal
          },
          Effect.catchTags({
            Unauthorized: () => Effect.fail(Errors.Unauthorized.of()),
            KeyRevoked: () => Effect.fail(Errors.KeyRevoked.of()),
            KeyExpired: () => Effect.fail(Errors.KeyExpired.of()),
            IpRestricted: () => Effect.fail(Errors.IpRestricted.of()),
            ScopeDenied: ({ scope }) => Effect.fail(Errors.ScopeDenied.of(scope))
          })
        )
      })
    })
  )
}
