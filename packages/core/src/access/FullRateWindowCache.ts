/** Caches full rate windows. Until a full window ends, further calls are rejected without a query. */
import type { Instant } from "../shared/Instant.ts"
import type { RateLimitDecision, RateWindowLimit, RateWindowUsage } from "./FixedWindowRateLimiter.ts"

interface Seen {
  readonly used: number
  readonly resetsAt: Instant
}

export interface FullRateWindowCache {
  /** Caches the states of the windows after a rejected call. */
  readonly note: (windows: ReadonlyArray<RateWindowLimit>, states: ReadonlyArray<RateWindowUsage>) => void
  /** Returns the rejection of a call if a cached window is full; undefined otherwise. */
  readonly refuse: (windows: ReadonlyArray<RateWindowLimit>, now: Instant) => RateLimitDecision | undefined
}

/** Creates a cache of at most `capacity` windows. A full cache removes its oldest entry first. */
export const make = (capacity: number): FullRateWindowCache => {
  const seen = new Map<string, Seen>()

  const find = (window: RateWindowLimit, now: Instant): Seen | undefined => {
    const key = keyOf(window)
    const known = seen.get(key)
    if (known === undefined) return undefined
    // Ignore a window that ends more than its length from now, because the clock was set back after its start.
    if (known.resetsAt > now && known.resetsAt <= now + window.seconds * 1000) return known
    seen.delete(key)
    return undefined
  }

  return {
    note: (windows, states) => {
      for (const [index, window] of windows.entries()) {
        const state = states[index]
        if (state === undefined) continue
        const key = keyOf(window)
        seen.delete(key)
        seen.set(key, { used: state.limit - state.remaining, resetsAt: state.resetsAt })
        const oldest = seen.size > capacity ? seen.keys().next() : undefined
        if (oldest?.done === false) seen.delete(oldest.value)
      }
    },
    refuse: (windows, now) => {
      const states: Array<RateWindowUsage> = []
      let isFull = false
      for (const window of windows) {
        const known = find(window, now)
        if (known === undefined) return undefined
        if (known.used >= window.limit) isFull = true
        states.push({
          limit: window.limit,
          remaining: Math.max(0, window.limit - known.used),
          resetsAt: known.resetsAt
        })
      }
      return isFull ? { admitted: false, states } : undefined
    }
  }
}

const keyOf = ({ name, seconds }: RateWindowLimit): string => `${name} ${seconds}`
