/**
 * Repairs due times that a fast clock wrote. Without the repair, the work would wait for hours after the clock is
 * corrected. Each queue regularly finds work with a due time later than the longest possible delay, and makes the work
 * due now.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Instant from "./Instant.ts"

/** The latest due times that are possible without a clock error. */
export interface LatestDue {
  readonly now: Instant.Instant
  /** The end of a lease that starts now. */
  readonly leased: Instant.Instant
  /** The latest possible due time for each number of attempts. The last entry also applies to higher numbers. */
  readonly waiting: readonly [Instant.Instant, ...ReadonlyArray<Instant.Instant>]
}

/** Calculates the latest due times. `delays[n]` is the delay after attempt number `n + 1`. New work is due at once. */
export const latestDueTimes = (
  now: Instant.Instant,
  lease: Duration.Duration,
  delays: ReadonlyArray<Duration.Duration>
): LatestDue => ({
  now,
  leased: Instant.plus(now, lease),
  waiting: [now, ...delays.map((delay) => Instant.plus(now, delay))]
})

export const latestDueAfterAttempts = ({ waiting }: LatestDue, attempts: number): Instant.Instant =>
  waiting[Math.min(attempts, waiting.length - 1)] ?? waiting[0]

/** The clock difference between machines that the service allows, in milliseconds. */
export const clockToleranceMillis = 10_000

/** The interval between repairs. Clock errors below the tolerance delay work by at most this interval. */
const interval = Duration.toMillis(Duration.minutes(10))

/**
 * Runs the repair on the first call and then every ten minutes. A clock jump of ten minutes causes a repair at once.
 */
export const makeRegularRepair = (repair: (now: Instant.Instant) => Effect.Effect<void>) =>
  Effect.map(Ref.make<Instant.Instant | null>(null), (looked) =>
    Effect.fnUntraced(function* (now: Instant.Instant) {
      const before = yield* Ref.get(looked)
      if (before !== null && Math.abs(now - before) < interval) return
      yield* Ref.set(looked, now)
      yield* repair(now)
    })
  )
