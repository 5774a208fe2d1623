/** Fixed rate windows in bounded memory. A window starts with its first count. */
import type { Instant } from "../shared/Instant.ts"

export interface FixedWindow {
  /** The counter's unique name. */
  readonly name: string
  readonly limit: number
  readonly seconds: number
}

/** The state of a window. A window that has not started has the state of an empty window. */
export interface RateLimitState {
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: Instant
}

/** The call is counted in all windows, or in none when one of them is full. */
export interface CountResult {
  readonly admitted: boolean
  /** The states are in the order of the requested windows, and include this call if it was admitted. */
  readonly states: ReadonlyArray<RateLimitState>
}

interface Open {
  readonly endsAt: Instant
  used: number
}

export interface FixedWindows {
  readonly take: (windows: ReadonlyArray<FixedWindow>, now: Instant) => CountResult
  /** Returns whether one of the windows is full, without counting the call. */
  readonly isFull: (windows: ReadonlyArray<FixedWindow>, now: Instant) => boolean
}

/** When `capacity` windows of one length are open, a new window removes the oldest. */
export const make = (capacity: number): FixedWindows => {
  /** By length. Maps keep insertion order, so that the windows of one length are also ordered by their end. */
  const lengths = new Map<number, Map<string, Open>>()

  const ofLength = (seconds: number): Map<string, Open> => {
    const known = lengths.get(seconds)
    if (known !== undefined) return known
    const fresh = new Map<string, Open>()
    lengths.set(seconds, fresh)
    return fresh
  }

  const find = ({ name, seconds }: FixedWindow, now: Instant): Open | undefined => {
    const open = lengths.get(seconds)?.get(name)
    // Ignore a window that started later than now: the clock was set back.
    return open === undefined || open.endsAt <= now || open.endsAt > now + seconds * 1000 ? undefined : open
  }

  const begin = ({ name, seconds }: FixedWindow, now: Instant): Open => {
    const opened = ofLength(seconds)
    opened.delete(name)
    for (const [oldest, { endsAt }] of opened) {
      if (endsAt > now && opened.size < capacity) break
      opened.delete(oldest)
    }
    const open = { endsAt: now + seconds * 1000, used: 0 }
    opened.set(name, open)
    return open
  }

  const isFull = (windows: ReadonlyArray<FixedWindow>, now: Instant) =>
    windows.some((window) => (find(window, now)?.used ?? 0) >= window.limit)

  return {
    isFull,
    take: (windows, now) => {
      const admitted = !isFull(windows, now)
      const states = windows.map((window) => {
        const open = find(window, now) ?? (admitted ? begin(window, now) : undefined)
        if (open === undefined) return state(window, 0, now + window.seconds * 1000)
        if (admitted) open.used++
        return state(window, open.used, open.endsAt)
      })
      return { admitted, states }
    }
  }
}

const state = ({ limit }: FixedWindow, used: number, resetsAt: Instant): RateLimitState => ({
  limit,
  remaining: Math.max(0, limit - used),
  resetsAt
})
