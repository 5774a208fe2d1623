/**
 * Holds the record of a request: its rate-limit state, organization, log context and route. Authorization writes the
 * request record, which the response and the access log then read.
 */
import type { RateWindowUsage } from "@partner-commentary/core/access/FixedWindowRateLimiter"
import type { NamedRateWindowUsage, RateLimitStatus } from "@partner-commentary/core/access/RateLimits"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import type { Instant } from "@partner-commentary/core/shared/Instant"
import type * as LogContext from "@partner-commentary/core/shared/LogContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface RequestRecord {
  /** The rate-limit state in the response's headers; null when no limit applies to the request. */
  rateLimit: RateWindowUsage | null
  /** All rate windows that counted the request. */
  rateWindows: ReadonlyArray<NamedRateWindowUsage>
  /** The number of whole seconds until a retry may succeed; null when the caller need not wait. */
  retryAfter: number | null
  /** The caller's organization, for logs and traces; null for an anonymous caller. */
  organizationId: OrganizationId | null
  /** The ids of the topic and the assignment in the request, for log lines. */
  readonly logContext: LogContext.MutableLogContext
  /** The path template of the matched route; null when no route matched. */
  route: string | null
}

export const makeRequestRecord = (): RequestRecord => ({
  rateLimit: null,
  rateWindows: [],
  retryAfter: null,
  organizationId: null,
  logContext: {},
  route: null
})

export class CurrentRequestRecord extends Context.Service<CurrentRequestRecord, RequestRecord>()(
  "@partner-commentary/server/middleware/CurrentRequestRecord"
) {}

/** Returns the record that the server provides for the current request. */
export const getCurrentRequestRecord: Effect.Effect<RequestRecord> = Effect.withFiber(({ context }) =>
  Effect.succeed(Context.getUnsafe(context, CurrentRequestRecord))
)

/**
 * Stores the rate-limit state after a counted call in the request record. `record.rateLimit` becomes the hourly window
 * with the fewest calls left, and `record.rateWindows` holds the latest values of each window.
 */
export const recordCountedCall = (record: RequestRecord, state: RateLimitStatus): void => {
  if (record.rateWindows.length === 0) record.rateWindows = state.windows
  else {
    const others = record.rateWindows.filter(({ policy }) => state.windows.every((one) => one.policy !== policy))
    record.rateWindows = [...others, ...state.windows]
  }
  if (record.rateLimit === null || state.remaining <= record.rateLimit.remaining) record.rateLimit = state
}

/** Returns the number of whole seconds until the rate window ends. */
export const countSecondsUntilWindowEnd = ({ resetsAt }: NamedRateWindowUsage, now: Instant): number =>
  Math.max(0, Math.ceil((resetsAt - now) / 1000))

/** Sets the rate-limit headers of a response with the given status. Only a 429 response can have `Retry-After`. */
export const setRateLimitHeaders = (
  headers: Record<string, string>,
  { retryAfter, rateLimit, rateWindows }: RequestRecord,
  status: number,
  now: Instant
): void => {
  if (rateLimit === null) return
  headers["x-ratelimit-limit"] = String(rateLimit.limit)
  headers["x-ratelimit-remaining"] = String(rateLimit.remaining)
  headers["x-ratelimit-reset"] = String(Math.ceil(rateLimit.resetsAt / 1000))
  if (rateWindows.length > 0) {
    // The headers follow the IETF draft "RateLimit header fields for HTTP".
    let policies = ""
    let left = ""
    for (const window of rateWindows) {
      const { limit, policy, remaining, seconds } = window
      const comma = policies === "" ? "" : ", "
      policies += `${comma}"${policy}";q=${limit};w=${seconds}`
      left += `${comma}"${policy}";r=${remaining};t=${countSecondsUntilWindowEnd(window, now)}`
    }
    headers["ratelimit-policy"] = policies
    headers["ratelimit"] = left
  }
  if (retryAfter !== null && status === 429) headers["retry-after"] = String(retryAfter)
}
