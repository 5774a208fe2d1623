/**
 * Authorizes a call, with the checks in the order that the specification requires: key, address list, rate limits,
 * scope.
 */
import type { EndpointRateLimit, RequiredScope } from "@partner-commentary/api/ApiKeyAuth"
import * as Errors from "@partner-commentary/api/Errors"
import { ApiKeys, type Principal } from "@partner-commentary/core/access/ApiKeys"
import { type RateLimited, type RateLimitStatus, RateLimits } from "@partner-commentary/core/access/RateLimits"
import { grantsScope } from "@partner-commentary/core/access/Scope"
import type { Instant } from "@partner-commentary/core/shared/Instant"
import { ApiCallCounter } from "@partner-commentary/core/usage/ApiCallCounter"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type RequestRecord, recordCountedCall } from "./RequestRecord.ts"

/** The credentials that the request contains. */
export interface CallerCredentials {
  /** The value of the `X-Api-Key` header; `""` when the header is missing. */
  readonly key: string
  readonly address: string
}

/** The scope that an endpoint requires, and the endpoint's own rate limit. */
export interface EndpointRules {
  readonly scope: RequiredScope["Service"] | undefined
  readonly limit: EndpointRateLimit["Service"] | undefined
  /** True for a conditional request: the caller has an earlier response and asks whether the result has changed. */
  readonly isConditional?: boolean
}

export type AuthorizationRefusal =
  | Errors.Unauthorized
  | Errors.KeyRevoked
  | Errors.KeyExpired
  | Errors.IpRestricted
  | Errors.RateLimitExceeded
  | Errors.ScopeDenied

export class Authorization extends Context.Service<
  Authorization,
  {
    /** Authorizes a call. Records the rate-limit state in `record`, whether the call is admitted or rejected. */
    readonly admit: (
      caller: CallerCredentials,
      gate: EndpointRules,
      record: RequestRecord
    ) => Effect.Effect<Principal, AuthorizationRefusal>
    /**
     * Works like `admit`, but synchronously. Returns undefined when the caller's key or rate windows are not in memory.
     */
    readonly admitNow: (
      caller: CallerCredentials,
      gate: EndpointRules,
      record: RequestRecord,
      now: Instant
    ) => Result.Result<Principal, AuthorizationRefusal> | undefined
    /**
     * Checks again whether an admitted caller is still authorized, and fails with the reason if the caller is not. The
     * repeated check does not count as a call.
     */
    readonly check: (caller: CallerCredentials) => Effect.Effect<Principal, AuthorizationRefusal>
    /** Reduces the cost of a conditional request to a tenth of a call, because the result has not changed. */
    readonly creditUnchanged: (principal: Principal, gate: EndpointRules) => Effect.Effect<void>
    /**
     * Counts a call to an unknown path. Anonymous callers are limited, and callers with a valid key are not limited.
     */
    readonly countUnknownPath: (
      caller: CallerCredentials,
      record: RequestRecord
    ) => Effect.Effect<void, Errors.RateLimitExceeded>
    /** Counts an unauthenticated call toward the rate limit of its address, for example a malformed HTTP request. */
    readonly countAnonymous: (address: string, record: RequestRecord) => Effect.Effect<void, Errors.RateLimitExceeded>
  }
>()("@partner-commentary/server/middleware/Authorization") {
  static readonly layer = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const limits = yield* RateLimits
      const calls = yield* ApiCallCounter

      const countAnonymous = (address: string, record: RequestRecord) =>
        countAndRecordCall(limits.countAddress(address), record)

      /**
       * Authenticates the caller. Callers with valid keys can share an address that is over its limit. Therefore key
       * look-ups for this address are slowed down, but not rejected.
       */
      const authenticate = ({ address, key }: CallerCredentials) =>
        Effect.flatMap(limits.isAddressLimited(address), (suspect) => keys.authenticate(key, address, suspect))

      /**
       * Authenticates the caller. A failed authentication counts toward the rate limit of the address. The caller gets
       * the reason of the failure, or the rate-limit error if the address is above its limit.
       */
      const known = (caller: CallerCredentials, record: RequestRecord) =>
        Effect.catch(authenticate(caller), (refused) =>
          Effect.andThen(countAnonymous(caller.address, record), Effect.fail(translate[refused._tag]()))
        )

      /** Counts the call of an authenticated caller, and then checks the scope. */
      const admitKnown = (
        principal: Principal,
        { isConditional = false, limit, scope }: EndpointRules,
        record: RequestRecord
      ) => {
        record.organizationId = principal.organization.id
        const count = isConditional ? limits.countConditional : limits.countKey
        const counted = countAndRecordCall(count(principal, limit), record)
        const admitted = Effect.fromResult(withScope(principal, scope))
        return Effect.andThen(calls.count(principal), Effect.andThen(counted, admitted))
      }

      return Authorization.of({
        admit: (caller, rules, record) =>
          Effect.flatMap(known(caller, record), (principal) => admitKnown(principal, rules, record)),

        admitNow: (caller, { isConditional = false, limit, scope }, record, now) => {
          const principal = keys.cachedPrincipal(caller.key, caller.address, now)
          const counted = principal && limits.countNow(principal, limit, isConditional, now)
          if (principal === undefined || counted === undefined) return undefined
          record.organizationId = principal.organization.id
          calls.countNow(principal)
          if (Result.isFailure(counted)) return Result.fail(recordRefusedCall(record, counted.failure))
          recordCountedCall(record, counted.success)
          return withScope(principal, scope)
        },

        check: ({ address, key }) =>
          Effect.catch(keys.authenticate(key, address), (refused) => Effect.fail(translate[refused._tag]())),

        creditUnchanged: (principal, { limit }) => limits.creditUnchanged(principal, limit),

        countUnknownPath: Effect.fnUntraced(function* (caller, record) {
          const principal = yield* Effect.exit(authenticate(caller))
          if (Exit.isFailure(principal)) return yield* countAnonymous(caller.address, record)
          record.organizationId = principal.value.organization.id
          yield* calls.count(principal.value)
          yield* Effect.ignore(countAndRecordCall(limits.countKey(principal.value, undefined), record))
        }),

        countAnonymous
      })
    })
  )
}

const withScope = (
  principal: Principal,
  scope: EndpointRules["scope"]
): Result.Result<Principal, Errors.ScopeDenied> =>
  scope === undefined || grantsScope(principal.key.scopes, scope)
    ? Result.succeed(principal)
    : Result.fail(Errors.ScopeDenied.of(scope))

const translate = {
  Unauthorized: () => Errors.Unauthorized.of(),
  KeyRevoked: () => Errors.KeyRevoked.of(),
  KeyExpired: () => Errors.KeyExpired.of(),
  IpRestricted: () => Errors.IpRestricted.of()
}

export const makeRateLimitError = ({ counted, limit, remaining, retryAfter }: RateLimited): Errors.RateLimitExceeded =>
  Errors.RateLimitExceeded.of({ retry_after: retryAfter, limit, remaining }, counted)

const recordRefusedCall = (record: RequestRecord, limited: RateLimited): Errors.RateLimitExceeded => {
  recordCountedCall(record, limited.state)
  record.retryAfter = limited.retryAfter
  return makeRateLimitError(limited)
}

/** Counts a call and records the state of its rate windows, whether the call is admitted or rejected. */
export const countAndRecordCall = (
  count: Effect.Effect<RateLimitStatus, RateLimited>,
  record: RequestRecord
): Effect.Effect<void, Errors.RateLimitExceeded> =>
  Effect.matchEffect(count, {
    onSuccess: (state) => Effect.sync(() => recordCountedCall(record, state)),
    onFailure: (limited) => Effect.fail(recordRefusedCall(record, limited))
  })
