/** Holds the rate-limit state of a request: authorization writes it, and the response reads it. */
import type { RateLimitState } from "@partner-commentary/core/access/FixedWindows"
import type { RateLimitStatus, RateWindowState } from "@partner-commentary/core/access/RateLimits"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import type { Instant } from "@partner-commentary/core/shared/Instant"
import type * as Subject from "@partner-commentary/core/shared/Subject"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface RequestRateState {
  /** The rate-limit state in the response's headers; null when no limit applies to the request. */
  state: RateLimitState | null
  /** All rate windows that counted the request. */
  windows: ReadonlyArray<RateWindowState>
  /** The number of whole seconds until a retry may succeed; null when the caller need not wait. */
  retryAfter: number | null
  /** The caller's organization, for logs and traces; null for an anonymous caller. */
  organizationId: OrganizationId | null
  /** The ids of the topic and the assignment in the request, for log lines. */
  readonly subject: Subject.CollectedSubject
  /** The path template of the matched route; null when no route matched. */
  route: string | null
}

export const freshRateState = (): RequestRateState => ({
  state: null,
  windows: [],
  retryAfter: null,
  organizationId: null,
  subject: {},
  route: null
})

export class CurrentRequestRateState extends Context.Service<CurrentRequestRateState, RequestRateState>()(
  "@partner-commentary/server/middleware/CurrentRequestRateState"
) {}

/** Returns the rate-limit state of the current request, which the server provides. */
export const currentRateState: Effect.Effect<RequestRateState> = Effect.withFiber(({ context }) =>
  Effect.succeed(Context.getUnsafe(context, CurrentRequestRateState))
)

/**
 * Records a counted call. `rate.state` becomes the hourly window with the fewest calls left, and `rate.windows`
 * holds the latest values of each window.
 */
export const recordCountedCall = (rate: RequestRateState, state: RateLimitStatus): void => {
  if (rate.windows.length === 0) rate.windows = state.windows
  else {
    const others = rate.windows.filter(({ policy }) => state.windows.every((one) => one.policy !== policy))
    rate.windows = [...others, ...state.windows]
  }
  if (rate.state === null || state.remaining <= rate.state.remaining) rate.state = state
}

/** Returns the number of whole seconds until the rate window ends. */
export const secondsUntilWindowEnds = ({ resetsAt }: RateWindowState, now: Instant): number =>
  Math.max(0, Math.ceil((resetsAt - now) / 1000))

/** Sets the rate-limit headers of a response with the given status. Only a 429 response can have `Retry-After`. */
export const setRateLimitHeaders = (
  headers: Record<string, string>,
  { retryAfter, state, windows }: RequestRateState,
  status: number,
  now: Instant
): void => {
  if (state === null) return
  headers["x-ratelimit-limit"] = String(state.limit)
  headers["x-ratelimit-remaining"] = String(state.remaining)
  headers["x-ratelimit-reset"] = String(Math.ceil(state.resetsAt / 1000))
  if (windows.length > 0) {
    // The headers follow the IETF draft "RateLimit header fields for HTTP".
    let policies = ""
    let left = ""
    for (const window of windows) {
      const { limit, policy, remaining, seconds } = window
      const comma = policies === "" ? "" : ", "
      policies += `${comma}"${policy}";q=${limit};w=${seconds}`
      left += `${comma}"${policy}";r=${remaining};t=${secondsUntilWindowEnds(window, now)}`
    }
    headers["ratelimit-policy"] = policies
    headers["ratelimit"] = left
  }
  if (retryAfter !== null && status === 429) headers["retry-after"] = String(retryAfter)
}
