/** Counts calls in fixed rate windows, with limited memory. A rate window starts with its first counted call. */
import type { Instant } from "../shared/Instant.ts"

export interface RateWindowLimit {
  /** The unique name of the counter. */
  readonly name: string
  readonly limit: number
  readonly seconds: number
}

/** The state of a rate window. A window without counted calls reports its full limit as remaining. */
export interface RateWindowUsage {
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: Instant
}

/** The result of counting a call. A call counts in all requested rate windows, or in none if one of them is full. */
export interface RateLimitDecision {
  readonly admitted: boolean
  /**
   * The states of the requested rate windows, in the order of the request. An admitted call is included in the states.
   */
  readonly states: ReadonlyArray<RateWindowUsage>
}

interface Open {
  readonly endsAt: Instant
  used: number
}

export interface FixedWindowRateLimiter {
  readonly take: (windows: ReadonlyArray<RateWindowLimit>, now: Instant) => RateLimitDecision
  /** Returns true if at least one window is full. `isFull` counts no call. */
  readonly isFull: (windows: ReadonlyArray<RateWindowLimit>, now: Instant) => boolean
}

/**
 * Keeps at most `capacity` windows of each length. When `capacity` windows of one length exist, a new rate window
 * replaces the oldest of them.
 */
export const make = (capacity: number): FixedWindowRateLimiter => {
  /** The rate windows by length and name. A map keeps insertion order, so windows of one length are sorted by end. */
  const lengths = new Map<number, Map<string, Open>>()

  const ofLength = (seconds: number): Map<string, Open> => {
    const known = lengths.get(seconds)
    if (known !== undefined) return known
    const fresh = new Map<string, Open>()
    lengths.set(seconds, fresh)
    return fresh
  }

  const find = ({ name, seconds }: RateWindowLimit, now: Instant): Open | undefined => {
    const open = lengths.get(seconds)?.get(name)
    // Ignore a window that starts in the future, because the clock was set back after its start.
    return open === undefined || open.endsAt <= now || open.endsAt > now + seconds * 1000 ? undefined : open
  }

  const begin = ({ name, seconds }: RateWindowLimit, now: Instant): Open => {
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

  const isFull = (windows: ReadonlyArray<RateWindowLimit>, now: Instant) =>
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

const state = ({ limit }: RateWindowLimit, used: number, resetsAt: Instant): RateWindowUsage => ({
  limit,
  remaining: Math.max(0, limit - used),
  resetsAt
})
