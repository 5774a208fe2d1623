/** What the response to a request says of its caller's rate limits: noted while the caller is judged, read when the response leaves. */
import type { RateLimitState } from "@partner-commentary/core/access/FixedWindows"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface Rate {
  /** Null as long as no limit has been asked: what lies outside the partner's limits says nothing of them. */
  state: RateLimitState | null
  /** Whole seconds; null where the caller was not asked to wait. */
  retryAfter: number | null
  /** Whose request it is; null for an anonymous caller. For logs and traces. */
  organizationId: OrganizationId | null
  /** The matched route's template; null where no route was found. */
  route: string | null
}

export const fresh = (): Rate => ({ state: null, retryAfter: null, organizationId: null, route: null })

export class CurrentRate extends Context.Service<CurrentRate, Rate>()(
  "@partner-commentary/server/middleware/CurrentRate"
) {}

/** Of the request that is being answered. Whoever answers requests provides it. */
export const current: Effect.Effect<Rate> = Effect.withFiber(({ context }) =>
  Effect.succeed(Context.getUnsafe(context, CurrentRate))
)

/** The hourly window with the fewest calls left is the one that is told. */
export const note = (rate: Rate, state: RateLimitState): void => {
  if (rate.state === null || state.remaining <= rate.state.remaining) rate.state = state
}

/** What was refused within a request that went through asks nobody to wait. */
export const headersOf = ({ retryAfter, state }: Rate, status: number): Readonly<Record<string, string>> =>
  state === null
    ? {}
    : {
        "x-ratelimit-limit": String(state.limit),
        "x-ratelimit-remaining": String(state.remaining),
        "x-ratelimit-reset": String(Math.ceil(state.resetsAt / 1000)),
        ...(retryAfter === null || status !== 429 ? {} : { "retry-after": String(retryAfter) })
      }
