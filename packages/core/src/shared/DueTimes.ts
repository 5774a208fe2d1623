/**
 * Repairs due times that a fast clock wrote. Without repair, that work would wait for hours after the clock is
 * corrected. Each queue regularly looks for work that is due later than its longest possible delay, and makes it due
 * now.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Instant from "./Instant.ts"

/** The latest possible due times. */
export interface LatestDue {
  readonly now: Instant.Instant
  /** The end of a lease that starts now. */
  readonly leased: Instant.Instant
  /** The latest plausible due time for each number of attempts. The last entry also applies to more attempts. */
  readonly waiting: readonly [Instant.Instant, ...ReadonlyArray<Instant.Instant>]
}

/** `delays[n]` is the delay after attempt number `n + 1`. New work is due at once. */
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

/** Allowed clock difference between machines, in milliseconds. */
export const clockToleranceMillis = 10_000

/** The interval is also the maximum delay from a clock error that is smaller than the tolerance. */
const interval = Duration.toMillis(Duration.minutes(10))

/** Runs the repair on the first call, then every ten minutes, and at once when the clock has jumped by ten minutes. */
export const makeRegularRepair = (repair: (now: Instant.Instant) => Effect.Effect<void>) =>
  Effect.map(Ref.make<Instant.Instant | null>(null), (looked) =>
    Effect.fnUntraced(function* (now: Instant.Instant) {
      const before = yield* Ref.get(looked)
      if (before !== null && Math.abs(now - before) < interval) return
      yield* Ref.set(looked, now)
      yield* repair(now)
    })
  )
