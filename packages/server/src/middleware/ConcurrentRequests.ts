/** Limits the concurrent requests of an organization by pool. A permit is released when the client has taken the answer. */
import { RequiredPlace } from "@partner-commentary/api/ApiKeyAuth"
import * as Errors from "@partner-commentary/api/Errors"
import {
  type ConcurrencyLimit,
  type ConcurrencyPool,
  TooManyRequests,
  timeout,
  type WhenResponseEnds
} from "@partner-commentary/core/access/ConcurrencyLimit"
import { FairShare } from "@partner-commentary/core/shared/FairShare"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Headers } from "effect/http/Headers"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Scheduler from "effect/Scheduler"
import { credentialOf } from "./AcceptedCredentials.ts"
import { CurrentFairScheduler } from "./FairScheduler.ts"

/**
 * A host that knows when a client has taken an answer, or has gone, provides this: bytes that wait to be sent then hold a
 * place of their organization. By default an answer counts as taken when it is made.
 */
export const AnswerTaken = Context.Reference<(request: HttpServerRequest) => WhenResponseEnds>(
  "@partner-commentary/server/ConcurrentRequests/AnswerTaken",
  { defaultValue: () => () => (release) => release() }
)

interface Endpoint {
  readonly annotations: Context.Context<never>
}

/** Works on a request in a place of the organization: the pool is the endpoint's. */
export const within = <A, E, R>(
  limit: ConcurrencyLimit["Service"],
  { annotations }: Endpoint,
  organization: OrganizationId,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Errors.RateLimitExceeded, R> =>
  Effect.withFiber(({ context }: { readonly context: Context.Context<never> }) => {
    const request = Context.getUnsafe(context, HttpServerRequest)
    const pool = poolOf(Context.getOrUndefined(annotations, RequiredPlace) ?? "standard", request.headers)
    const whenTaken = Context.get(context, AnswerTaken)(request)
    const placed = (placedWork: typeof work) =>
      Effect.provideService(
        refused(limit.withPermit(pool, organization, placedWork, whenTaken)),
        FairShare,
        organization
      )
    const fair = Context.get(context, CurrentFairScheduler)
    fair?.accept(credentialOf(request.headers), organization)
    // Frequent operations are short, and shared in batches that turns of their own would tear apart.
    if (fair === undefined || pool === "frequent") return placed(work)
    // The work begins in the organization's turn, not in that of the key, of which an organization has many.
    return Effect.provideService(
      placed(Effect.andThen(Effect.yieldNow, work)),
      Scheduler.Scheduler,
      fair.of(organization)
    )
  })

/** A frequent operation is short because it is small: a submission for many personas is not, nor one whose length is not told. */
const poolOf = (pool: ConcurrencyPool, headers: Headers): ConcurrencyPool => {
  const isLarge = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > frequentBytes
  return pool === "frequent" && isLarge ? "standard" : pool
}

/** Of a body: a topic for some twenty personas with some metadata. */
const frequentBytes = 2048

export const refused = <A, E, R>(
  placed: Effect.Effect<A, E | TooManyRequests, R>
): Effect.Effect<A, E | Errors.RateLimitExceeded, R> =>
  Effect.mapError(placed, (error) =>
    error instanceof TooManyRequests
      ? Errors.RateLimitExceeded.busy(message(error.limit, error.pool), error.limit)
      : (error as E)
  )

const message = (limit: number, pool: ConcurrencyPool): string =>
  `At most ${limit} ${described[pool]} of an organization are worked on at one time. Others wait up to ` +
  `${Duration.toSeconds(timeout)} seconds for a place. Send it again when they were answered.`

const described: Readonly<Record<ConcurrencyPool, string>> = {
  standard: "requests",
  frequent: "submissions and polls",
  large: "bulk requests and look-ups by reference",
  outgoing: "webhook tests"
}
