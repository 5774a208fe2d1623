/** Whether a call may go on: its key, the key's address list, rate limits and scope, in the decided order. */
import type { OwnLimit, RequiredScope } from "@partner-commentary/api/ApiKeyAuth"
import * as Errors from "@partner-commentary/api/Errors"
import { ApiKeys, type Principal, requireScope } from "@partner-commentary/core/access/ApiKeys"
import type { RateLimitState } from "@partner-commentary/core/access/FixedWindows"
import { type RateLimited, RateLimits } from "@partner-commentary/core/access/RateLimits"
import { ApiCalls } from "@partner-commentary/core/usage/ApiCalls"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { current, note, type Rate } from "./CurrentRate.ts"

/** What a call shows of its caller. */
export interface Caller {
  /** `X-Api-Key`, `""` where it is missing. */
  readonly key: string
  readonly address: string
}

/** What a call must have, and what it is counted in besides the key's own windows. */
export interface Gate {
  readonly scope: RequiredScope["Service"] | undefined
  readonly limit: OwnLimit["Service"] | undefined
}

export type Refusal =
  | Errors.Unauthorized
  | Errors.KeyRevoked
  | Errors.KeyExpired
  | Errors.IpRestricted
  | Errors.RateLimitExceeded
  | Errors.ScopeDenied

export class Authorization extends Context.Service<
  Authorization,
  {
    /** Notes in `rate` what the response is to say, admitted or not. */
    readonly admit: (caller: Caller, gate: Gate, rate: Rate) => Effect.Effect<Principal, Refusal>
    /** For paths that do not exist: strangers are counted and refused, a good key is counted and never refused. */
    readonly stray: (caller: Caller, rate: Rate) => Effect.Effect<void, Errors.RateLimitExceeded>
    /** For who cannot have a key at all. */
    readonly stranger: (address: string, rate: Rate) => Effect.Effect<void, Errors.RateLimitExceeded>
  }
>()("@partner-commentary/server/middleware/Authorization") {
  static readonly layer = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const limits = yield* RateLimits
      const calls = yield* ApiCalls

      const stranger = (address: string, rate: Rate) => counted(limits.countAddress(address), rate)

      /** Who tried too often may have a good key all the same, and is kept waiting for it at most. */
      const authenticate = ({ address, key }: Caller) =>
        Effect.flatMap(limits.isAddressLimited(address), (suspect) => keys.authenticate(key, address, suspect))

      /** A stranger who may still try is told why not; one who tried too often, that it is too often. */
      const known = (caller: Caller, rate: Rate) =>
        Effect.catch(authenticate(caller), (refused) =>
          Effect.andThen(stranger(caller.address, rate), Effect.fail(translate[refused._tag]()))
        )

      return Authorization.of({
        admit: Effect.fnUntraced(function* (caller, { limit, scope }, rate) {
          const principal = yield* known(caller, rate)
          rate.organizationId = principal.organization.id
          yield* calls.count(principal)
          yield* counted(limits.countKey(principal, limit), rate)
          if (scope !== undefined) {
            yield* Effect.catch(requireScope(principal, scope), () => Effect.fail(Errors.ScopeDenied.of(scope)))
          }
          return principal
        }),

        stray: Effect.fnUntraced(function* (caller, rate) {
          const principal = yield* Effect.exit(authenticate(caller))
          if (Exit.isFailure(principal)) return yield* stranger(caller.address, rate)
          rate.organizationId = principal.value.organization.id
          yield* calls.count(principal.value)
          yield* Effect.ignore(counted(limits.countKey(principal.value, undefined), rate))
        }),

        stranger
      })
    })
  )
}

const translate = {
  Unauthorized: () => Errors.Unauthorized.of(),
  KeyRevoked: () => Errors.KeyRevoked.of(),
  KeyExpired: () => Errors.KeyExpired.of(),
  IpRestricted: () => Errors.IpRestricted.of()
}

export const refusalOf = ({ counted, limit, remaining, retryAfter }: RateLimited): Errors.RateLimitExceeded =>
  Errors.RateLimitExceeded.of({ retry_after: retryAfter, limit, remaining }, counted)

/** Whatever within an operation asks to wait, the header tells how long. */
export const withRetryAfter = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapError(operation, (error) =>
    error instanceof Errors.RateLimitExceeded
      ? Effect.map(current, (rate) => {
          rate.retryAfter = error.error.details.retry_after
        })
      : Effect.void
  )

/** One call more, noted whether it is let through or not. */
export const counted = (
  count: Effect.Effect<RateLimitState, RateLimited>,
  rate: Rate
): Effect.Effect<void, Errors.RateLimitExceeded> =>
  Effect.matchEffect(count, {
    onSuccess: (state) => Effect.sync(() => note(rate, state)),
    onFailure: (limited) => {
      note(rate, limited.state)
      rate.retryAfter = limited.retryAfter
      return Effect.fail(refusalOf(limited))
    }
  })
