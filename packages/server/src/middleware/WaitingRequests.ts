/**
 * `Prefer: wait=N` (RFC 7240): the answer comes when something changed, or after N seconds. While a request waits, it
 * holds a permit of its own pool. Each read takes a permit as other requests do.
 */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import type { WireError } from "@partner-commentary/api/Errors"
import {
  ConcurrencyLimit,
  type ConcurrencyPool,
  TooManyRequests
} from "@partner-commentary/core/access/ConcurrencyLimit"
import { LongPolls } from "@partner-commentary/core/access/LongPolls"
import type { Change } from "@partner-commentary/core/shared/WorkSignal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { keyAndAddressOf, TrustedProxies } from "../http/ClientAddress.ts"
import * as Envelope from "../http/Envelope.ts"
import { Authorization } from "./Authorization.ts"
import { busyError } from "./ConcurrentRequests.ts"

export interface Wait<A, E, R> {
  readonly seconds: number
  readonly change: Change
  /** The pool of each read. */
  readonly pool: ConcurrencyPool
  readonly look: Effect.Effect<Option.Option<A>, E, R>
}

export const make = Effect.gen(function* () {
  const polls = yield* LongPolls
  const limit = yield* ConcurrencyLimit
  const { check } = yield* Authorization
  const proxies = yield* TrustedProxies

  /** Returns none when the time is over. The caller's key is checked before each read: a refusal is the response. */
  return Effect.fnUntraced(function* <A, E, R>(
    request: HttpServerRequest,
    { change, look, pool, seconds }: Wait<A, E, R>
  ) {
    const { organization } = yield* CurrentPrincipal
    const caller = keyAndAddressOf(request, proxies)
    const one = limit.withPermit(pool, organization.id, look, (release) => release())
    // A signal can wake more requests than the pool takes. They must not lose the change to a refusal.
    const read = Effect.retry(one, { while: isBusy, schedule: Schedule.spaced("250 millis"), times: 40 })
    const busy = Effect.catchIf(read, isBusy, (error) => refuse(Effect.fail(busyError(error))))
    const checked = Effect.andThen(refuse(check(caller)), busy)
    return yield* polls.wait({ change, key: caller.key, longest: Duration.seconds(seconds), look: checked })
  })
})

const isBusy = (error: unknown): error is TooManyRequests => error instanceof TooManyRequests

/** The middleware sends a response that an effect dies with. */
const refuse = <A>(checked: Effect.Effect<A, WireError>): Effect.Effect<A> =>
  Effect.catch(checked, (refusal) => Effect.die(Envelope.failure(refusal)))
