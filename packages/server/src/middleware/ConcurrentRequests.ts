/**
 * Limits the concurrent requests of an organization in each pool. A request holds its permit until the client has
 * received the response.
 */
import { EndpointConcurrencyPool, SupportsWaitPreference } from "@partner-commentary/api/ApiKeyAuth"
import * as Errors from "@partner-commentary/api/Errors"
import {
  type ConcurrencyLimit,
  type ConcurrencyPool,
  maxPermitWait,
  type OnResponseEnd,
  TooManyRequests
} from "@partner-commentary/core/access/ConcurrencyLimit"
import { CurrentFairShare, DefaultScheduler } from "@partner-commentary/core/shared/FairShare"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Headers } from "effect/http/Headers"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Scheduler from "effect/Scheduler"
import { parsePreferredWaitSeconds } from "../http/Preference.ts"
import { CurrentFairScheduler } from "./FairScheduler.ts"

/**
 * Calls `release` when the client has received the response or has disconnected. A host provides `ResponseEndObserver`
 * if the host can observe when a response ends. By default, `release` is called when the response is created.
 */
export const ResponseEndObserver = Context.Reference<(request: HttpServerRequest) => OnResponseEnd>(
  "@partner-commentary/reference/ResponseEndObserver",
  { defaultValue: () => () => (release) => release() }
)

/**
 * Closes the client's connection. A host provides `CloseConnection` if a client can keep a response open by not reading
 * the response. By default, the host's own server must close the connections of clients that do not read.
 */
export const CloseConnection = Context.Reference<(request: HttpServerRequest) => void>(
  "@partner-commentary/reference/CloseConnection",
  { defaultValue: () => () => {} }
)

interface Endpoint {
  readonly annotations: Context.Context<never>
}

interface RequestOwner {
  readonly organization: OrganizationId
  /**
   * The name of the header that contains the verified credential. The service has verified no other credential of the
   * request.
   */
  readonly credential: "x-api-key" | "authorization"
}

/**
 * Returns a function that handles a request of the endpoint with a permit of the organization from the endpoint's pool.
 * The rest of the request runs with the organization's scheduler and fair share.
 */
export const makeWithPermit = (limit: ConcurrencyLimit["Service"], { annotations }: Endpoint) => {
  const ownPool = Context.getOrUndefined(annotations, EndpointConcurrencyPool) ?? "standard"
  const supportsWait = Context.getOrUndefined(annotations, SupportsWaitPreference) === true

  return <A, E, R>(
    { credential, organization }: RequestOwner,
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Errors.RateLimitExceeded, R> =>
    Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) => {
      const { context } = fiber as { readonly context: Context.Context<never> }
      const request = Context.getUnsafe(context, HttpServerRequest)
      const { headers } = request
      const waits = supportsWait && headers["prefer"] !== undefined && parsePreferredWaitSeconds(headers["prefer"]) > 0
      const pool = waits ? "waiting" : poolOf(ownPool, headers)
      const whenResponseEnds = Context.get(context, ResponseEndObserver)(request)
      const fair = Context.get(context, CurrentFairScheduler)
      fair?.accept(headers[credential] ?? "", organization)
      // Polls and submissions do not use the scheduler, because separate turns of the event loop would split their
      // database batches.
      const isFrequent = pool === "frequent"
      const isBatched = isFrequent || (waits && ownPool === "frequent")
      const scheduler = isBatched ? undefined : fair?.of(organization)
      const own = Context.add(context, CurrentFairShare, { owner: organization, isFrequent, scheduler })
      // The server restores the context at the end of the request.
      fiber.setContext(scheduler === undefined ? own : inTurns(own, scheduler))
      // A stream lasts longer than its handler, so the stream takes a permit itself. The stream's fiber inherits the
      // scheduler.
      if (pool === "streaming") return work
      const start = () =>
        scheduler === undefined || fair?.hasTime() === true ? work : Effect.andThen(Effect.yieldNow, work)
      const taken = limit.tryTake(pool, organization)
      if (taken === undefined) {
        return toRateLimitError(limit.withPermit(pool, organization, Effect.suspend(start), whenResponseEnds))
      }
      // A fiber's observer also runs if the client has disconnected, so the permit is always released.
      fiber.addObserver(() => whenResponseEnds(taken))
      return start()
    })
}

/** The scheduler's queues belong to organizations, because an organization can have many keys. */
const inTurns = (own: Context.Context<never>, scheduler: Scheduler.Scheduler): Context.Context<never> =>
  own.pipe(
    Context.add(DefaultScheduler, Context.get(own, Scheduler.Scheduler)),
    Context.add(Scheduler.Scheduler, scheduler)
  )

/**
 * Returns the concurrency pool whose limit applies to the request. A large or chunked request to a
 * frequent operation uses the limit of the pool `standard`.
 */
const poolOf = (pool: ConcurrencyPool, headers: Headers): ConcurrencyPool => {
  const isLarge = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > frequentBytes
  return pool === "frequent" && isLarge ? "standard" : pool
}

/**
 * The maximum body size of a frequent operation in bytes. A topic for about twenty personas with some metadata fits
 * into 2048 bytes.
 */
const frequentBytes = 2048

const toRateLimitError = <A, E, R>(
  placed: Effect.Effect<A, E | TooManyRequests, R>
): Effect.Effect<A, E | Errors.RateLimitExceeded, R> =>
  Effect.mapError(placed, (error) => (error instanceof TooManyRequests ? busyError(error) : (error as E)))

export const busyError = ({ limit, pool }: TooManyRequests): Errors.RateLimitExceeded =>
  Errors.RateLimitExceeded.busy(message(limit, pool), limit)

const message = (limit: number, pool: ConcurrencyPool): string =>
  pool === "waiting" || pool === "streaming"
    ? `At most ${limit} ${described[pool]} at one time. Send it again when one has ended.`
    : `At most ${limit} ${described[pool]} of an organization are worked on at one time. Others wait up to ` +
      `${Duration.toSeconds(maxPermitWait)} seconds for a place. Send it again when they were answered.`

const described: Readonly<Record<ConcurrencyPool, string>> = {
  waiting: "requests of an organization wait for a change",
  streaming: "event streams of an organization are open",
  standard: "requests",
  frequent: "submissions and polls",
  large: "bulk requests and look-ups by reference",
  outgoing: "webhook tests"
}
