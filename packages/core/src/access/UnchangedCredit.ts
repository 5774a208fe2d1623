/**
 * A response without a body counts as a tenth of a request. Each such response earns nine tenths of a request. A later
 * conditional request of the same caller spends a whole one instead of being counted.
 */
import type { Instant } from "../shared/Instant.ts"
import type { FixedWindow, RateLimitState } from "./FixedWindows.ts"

interface Credit {
  /** The credit is counted in tenths of a request. */
  tenths: number
  /** The windows after the last counted request of the caller. */
  states: ReadonlyArray<RateLimitState>
}

export interface UnchangedCredit {
  /** Remembers the windows of a counted conditional request. */
  readonly note: (windows: ReadonlyArray<FixedWindow>, states: ReadonlyArray<RateLimitState>) => void
  /** Adds the credit of one response without a body. */
  readonly earn: (windows: ReadonlyArray<FixedWindow>) => void
  /** Spends a whole request and returns the windows' states. Returns undefined if the request must be counted. */
  readonly spend: (windows: ReadonlyArray<FixedWindow>, now: Instant) => ReadonlyArray<RateLimitState> | undefined
}

const whole = 10
const earned = 9

/** Holds at most `capacity` callers and removes the oldest entry first. */
export const make = (capacity: number): UnchangedCredit => {
  const credits = new Map<string, Credit>()

  return {
    note: (windows, states) => {
      const key = keyOf(windows)
      const tenths = credits.get(key)?.tenths ?? 0
      credits.delete(key)
      credits.set(key, { tenths, states })
      const oldest = credits.size > capacity ? credits.keys().next() : undefined
      if (oldest?.done === false) credits.delete(oldest.value)
    },
    earn: (windows) => {
      const credit = credits.get(keyOf(windows))
      // A burst of concurrent requests must not earn credit for later windows.
      if (credit !== undefined) credit.tenths = Math.min(credit.tenths + earned, 2 * whole)
    },
    spend: (windows, now) => {
      const credit = credits.get(keyOf(windows))
      if (credit === undefined || credit.tenths < whole) return undefined
      // In a new window, and after the clock was set back, the next request is counted.
      const isPresent = windows.every(({ limit, seconds }, index) => {
        const state = credit.states[index]
        return (
          state !== undefined && state.limit === limit && state.resetsAt > now && state.resetsAt <= now + seconds * 1000
        )
      })
      if (!isPresent) return undefined
      credit.tenths -= whole
      return credit.states
    }
  }
}

const keyOf = (windows: ReadonlyArray<FixedWindow>): string => windows.map(({ name }) => name).join("\n")
