/** The rate-limit state of a request: written during authorization, read when the response is sent. */
import type { RateLimitState } from "@partner-commentary/core/access/FixedWindows"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface Rate {
  /** Null when no limit applies to the request. */
  state: RateLimitState | null
  /** Whole seconds; null when the caller need not wait. */
  retryAfter: number | null
  /** The caller's organization for logs and traces; null for an anonymous caller. */
  organizationId: OrganizationId | null
  /** The matched route's template; null when no route matched. */
  route: string | null
}

export const fresh = (): Rate => ({ state: null, retryAfter: null, organizationId: null, route: null })

export class CurrentRate extends Context.Service<CurrentRate, Rate>()(
  "@partner-commentary/server/middleware/CurrentRate"
) {}

/** The state of the current request. The server provides it. */
export const current: Effect.Effect<Rate> = Effect.withFiber(({ context }) =>
  Effect.succeed(Context.getUnsafe(context, CurrentRate))
)

/** Keeps the hourly window with the fewest calls left. */
export const note = (rate: Rate, state: RateLimitState): void => {
  if (rate.state === null || state.remaining <= rate.state.remaining) rate.state = state
}

/** A successful response never has `Retry-After`. */
export const headersOf = ({ retryAfter, state }: Rate, status: number): Readonly<Record<string, string>> =>
  state === null
    ? {}
    : {
        "x-ratelimit-limit": String(state.limit),
        "x-ratelimit-remaining": String(state.remaining),
        "x-ratelimit-reset": String(Math.ceil(state.resetsAt / 1000)),
        ...(retryAfter === null || status !== 429 ? {} : { "retry-after": String(retryAfter) })
      }
