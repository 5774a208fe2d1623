/**
 * Credits responses without a body, so that each such response counts as a tenth of a request. Each response without a
 * body earns nine tenths of a request. When a caller's credit is a whole request, the next conditional request spends
 * the credit and is not counted.
 */
import type { Instant } from "../shared/Instant.ts"
import type { RateWindowLimit, RateWindowUsage } from "./FixedWindowRateLimiter.ts"

interface Caller {
  /** The credit in tenths of a request. The map's key contains the names of the windows that count the request. */
  readonly tenths: Map<string, number>
  /** The state of each rate window after the caller's last counted request. */
  readonly states: Map<string, RateWindowUsage>
}

export interface UnchangedResponseCredit {
  /** Stores the states of the rate windows after a conditional request was counted. */
  readonly note: (caller: string, windows: Windows, states: ReadonlyArray<RateWindowUsage>) => void
  /**
   * Stores the states of the rate windows after an unconditional request was counted. Ignores callers that have made no
   * conditional request.
   */
  readonly update: (caller: string, windows: Windows, states: ReadonlyArray<RateWindowUsage>) => void
  /** Adds credit for one response without a body. */
  readonly earn: (caller: string, windows: Windows) => void
  /** Spends credit for a request and returns the states of the windows; undefined if the request must be counted. */
  readonly spend: (caller: string, windows: Windows, now: Instant) => ReadonlyArray<RateWindowUsage> | undefined
}

type Windows = ReadonlyArray<RateWindowLimit>

const whole = 10
const earned = 9

/** Keeps the credit of at most `capacity` callers. If the cache is full, a new caller replaces the oldest caller. */
export const make = (capacity: number): UnchangedResponseCredit => {
  const callers = new Map<string, Caller>()

  const update: UnchangedResponseCredit["update"] = (name, windows, states) => {
    const caller = callers.get(name)
    if (caller === undefined) return
    for (const [index, state] of states.entries())
      caller.states.set(windowKey(windows[index] as RateWindowLimit), state)
  }

  return {
    update,
    note: (name, windows, states) => {
      const caller = callers.get(name) ?? { tenths: new Map(), states: new Map() }
      callers.delete(name)
      callers.set(name, caller)
      const key = keyOf(windows)
      caller.tenths.set(key, caller.tenths.get(key) ?? 0)
      update(name, windows, states)
      const oldest = callers.size > capacity ? callers.keys().next() : undefined
      if (oldest?.done === false) callers.delete(oldest.value)
    },
    earn: (name, windows) => {
      const key = keyOf(windows)
      const credits = callers.get(name)?.tenths
      const tenths = credits?.get(key)
      // Limit the credit to two requests, so that a burst of concurrent requests cannot save credit for later windows.
      if (tenths !== undefined) credits?.set(key, Math.min(tenths + earned, 2 * whole))
    },
    spend: (name, windows, now) => {
      const caller = callers.get(name)
      const key = keyOf(windows)
      const tenths = caller?.tenths.get(key) ?? 0
      if (caller === undefined || tenths < whole) return undefined
      // The first request in each new window is counted, and so is the first request after the clock was set back.
      const states: Array<RateWindowUsage> = []
      for (const window of windows) {
        const state = caller.states.get(windowKey(window))
        if (state === undefined || state.limit !== window.limit) return undefined
        if (state.resetsAt <= now || state.resetsAt > now + window.seconds * 1000) return undefined
        states.push(state)
      }
      caller.tenths.set(key, tenths - whole)
      return states
    }
  }
}

const windowKey = ({ name, seconds }: RateWindowLimit): string => `${seconds} ${name}`

const keyOf = (windows: Windows): string => windows.map(({ name }) => name).join("\n")
