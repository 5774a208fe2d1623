/**
 * Implements `Prefer: wait=N` (RFC 7240). The response is sent when the result has changed, or after N seconds. A
 * waiting request holds a permit of the pool `waiting`. For each organization, only a few database reads of waiting
 * requests run at the same time, in order of arrival. Each read also takes a permit of the operation's own pool, like a
 * request that does not wait. A long response holds this permit until the client has received the response.
 */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import type { WireError } from "@partner-commentary/api/Errors"
import { LongPolls } from "@partner-commentary/core/access/LongPolls"
import {
  isTooManyRequests,
  WaitingReadLimiter,
  type WaitingReadPool
} from "@partner-commentary/core/access/WaitingReadLimiter"
import type { ChangeSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import { readCallerCredentials, TrustedProxies } from "../http/ClientAddress.ts"
import * as Envelope from "../http/Envelope.ts"
import { Authorization } from "./Authorization.ts"
import { busyError, ResponseEndObserver } from "./ConcurrentRequests.ts"

/**
 * The maximum size in bytes of a response that holds only the permit of the pool `waiting`. The responses of 1,000
 * clients that do not read take at most 16 MB.
 */
const maxShortResponse = 16_384

export interface LongPollOptions<E, R> {
  readonly seconds: number
  readonly change: ChangeSignal
  /** The concurrency pool from which each read takes a permit. */
  readonly pool: WaitingReadPool
  readonly look: Effect.Effect<Option.Option<HttpServerResponse>, E, R>
}

export const make = Effect.gen(function* () {
  const polls = yield* LongPolls
  const read = yield* WaitingReadLimiter
  const { check } = yield* Authorization
  const proxies = yield* TrustedProxies

  /**
   * Waits until a read finds a new result, such as a changed topic or a new event. At the timeout, the result is
   * `None`. The caller's key is checked before each read. If the key is rejected, the client gets the rejection as the
   * response.
   */
  return Effect.fnUntraced(function* <E, R>(
    request: HttpServerRequest,
    { change, look, pool, seconds }: LongPollOptions<E, R>
  ) {
    const { organization } = yield* CurrentPrincipal
    const caller = readCallerCredentials(request, proxies)
    const whenResponseEnds = (yield* ResponseEndObserver)(request)
    let isLong = false
    const measured = Effect.tap(look, (found) =>
      Effect.sync(() => {
        isLong = Option.exists(found, ({ body }) => body._tag === "Uint8Array" && body.contentLength > maxShortResponse)
      })
    )
    const one = read(pool, organization.id, measured, (free) => (isLong ? whenResponseEnds(free) : free()))
    const busy = Effect.catchIf(one, isTooManyRequests, (error) => refuse(Effect.fail(busyError(error))))
    const checked = Effect.andThen(refuse(check(caller)), busy)
    return yield* polls.wait({ change, key: caller.key, longest: Duration.seconds(seconds), look: checked })
  })
})

/**
 * Turns a rejection into a defect that contains the response. The middleware sends the response that the defect
 * contains.
 */
const refuse = <A>(checked: Effect.Effect<A, WireError>): Effect.Effect<A> =>
  Effect.catch(checked, (refusal) => Effect.die(Envelope.makeFailureResponse(refusal)))
