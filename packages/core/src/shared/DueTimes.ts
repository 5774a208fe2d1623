/**
 * Repairs due times that a fast clock wrote. Without the repair of due times, work would wait for hours after the clock
 * is corrected. The repair of each queue finds work whose due time is later than the longest possible delay, and makes
 * such work due now.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Instant from "./Instant.ts"

/** The latest plausible due times of the work in a queue. */
export interface LatestPlausibleDueTimes {
  readonly now: Instant.Instant
  /** The end of a lease that would start now. */
  readonly leased: Instant.Instant
  /**
   * The latest plausible due time by number of attempts. The last entry also applies to every higher number of
   * attempts.
   */
  readonly waiting: readonly [Instant.Instant, ...ReadonlyArray<Instant.Instant>]
}

/**
 * Calculates the latest plausible due times. `delays[n]` is the delay after attempt number `n + 1`. Work without an
 * attempt has no delay.
 */
export const calculateLatestPlausibleDueTimes = (
  now: Instant.Instant,
  lease: Duration.Duration,
  delays: ReadonlyArray<Duration.Duration>
): LatestPlausibleDueTimes => ({
  now,
  leased: Instant.plus(now, lease),
  waiting: [now, ...delays.map((delay) => Instant.plus(now, delay))]
})

export const findLatestPlausibleDueTime = ({ waiting }: LatestPlausibleDueTimes, attempts: number): Instant.Instant =>
  waiting[Math.min(attempts, waiting.length - 1)] ?? waiting[0]

/** The tolerated clock difference between machines in milliseconds. */
export const clockToleranceMillis = 10_000

/**
 * The interval between repairs, in milliseconds. An implausible due time delays work by at most one repair interval.
 */
const interval = Duration.toMillis(Duration.minutes(10))

/**
 * Returns a function that runs `repair` on its first call and then at most once in ten minutes. If the clock jumps by
 * ten minutes or more, the next call of the function runs `repair`.
 */
export const makePeriodicRepair = (repair: (now: Instant.Instant) => Effect.Effect<void>) =>
  Effect.map(Ref.make<Instant.Instant | null>(null), (looked) =>
    Effect.fnUntraced(function* (now: Instant.Instant) {
      const before = yield* Ref.get(looked)
      if (before !== null && Math.abs(now - before) < interval) return
      yield* Ref.set(looked, now)
      yield* repair(now)
    })
  )
