/** Windows that somebody else's count has shown to be full: until one ends, a call that would count in it is refused without asking again. */
import type { Instant } from "../shared/Instant.ts"
import type { FixedWindow, RateLimitState, Taken } from "./FixedWindows.ts"

interface Seen {
  readonly used: number
  readonly resetsAt: Instant
}

export interface FullWindows {
  /** How the windows of a refused call stood. */
  readonly note: (windows: ReadonlyArray<FixedWindow>, states: ReadonlyArray<RateLimitState>) => void
  /** Undefined where one must ask. */
  readonly refuse: (windows: ReadonlyArray<FixedWindow>, now: Instant) => Taken | undefined
}

/** Remembers `capacity` windows at most: what was noted first gives way. */
export const make = (capacity: number): FullWindows => {
  const seen = new Map<string, Seen>()

  const find = (window: FixedWindow, now: Instant): Seen | undefined => {
    const key = keyOf(window)
    const known = seen.get(key)
    if (known === undefined) return undefined
    // One that ends later than it could was seen before the clock was put back.
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
      const states: Array<RateLimitState> = []
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

const keyOf = ({ name, seconds }: FixedWindow): string => `${name} ${seconds}`
