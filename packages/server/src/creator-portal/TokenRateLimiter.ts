/**
 * Limits the requests with each creator link. Each token has a rate window of fixed length. The memory for all rate
 * windows of this process is bounded.
 */
import * as FixedWindowRateLimiter from "@partner-commentary/core/access/FixedWindowRateLimiter"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"

export interface TokenRateLimiter {
  /**
   * Counts a request with the given token. Returns 0 when the request is within the limit, otherwise the number of
   * seconds to wait. Requests above the limit do not count.
   */
  readonly take: (token: string) => Effect.Effect<number>
}

/** When `capacity` rate windows are open, a request with a new token removes the oldest window. */
export const make = (options: {
  readonly limit: number
  readonly seconds: number
  readonly capacity: number
}): TokenRateLimiter => {
  const windows = FixedWindowRateLimiter.make(options.capacity)
  return {
    take: (name) =>
      Effect.map(Instant.now, (now) => {
        const { admitted, states } = windows.take([{ name, ...options }], now)
        return admitted ? 0 : Math.max(...states.map(({ resetsAt }) => Math.ceil((resetsAt - now) / 1000)))
      })
  }
}
