/**
 * Work that a clock running ahead has put off. Such a clock writes due times that no delay explains; when it is right again, the work
 * would wait for hours. Each queue is repaired now and then: what is due later than its longest possible delay is due now.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Instant from "./Instant.ts"

/** The latest moments at which work can be due. */
export interface LatestDue {
  readonly now: Instant.Instant
  /** The end of a lease that was taken now. */
  readonly leased: Instant.Instant
  /** After so many attempts; the last one also for more. */
  readonly waiting: readonly [Instant.Instant, ...ReadonlyArray<Instant.Instant>]
}

/** `delays[n]` follows the attempt number n + 1. Before the first attempt, work is due at once. */
export const latestDue = (
  now: Instant.Instant,
  lease: Duration.Duration,
  delays: ReadonlyArray<Duration.Duration>
): LatestDue => ({
  now,
  leased: Instant.plus(now, lease),
  waiting: [now, ...delays.map((delay) => Instant.plus(now, delay))]
})

export const latestAfter = ({ waiting }: LatestDue, attempts: number): Instant.Instant =>
  waiting[Math.min(attempts, waiting.length - 1)] ?? waiting[0]

/** Clocks of machines may differ by so much, in milliseconds. */
export const tolerance = 10_000

/** Also bounds how long work can wait that was put off by less than this. */
const interval = Duration.toMillis(Duration.minutes(10))

/** Runs the repair at the first look, every ten minutes, and at once when the clock has moved by as much. */
export const checking = (repair: (now: Instant.Instant) => Effect.Effect<void>) =>
  Effect.map(Ref.make<Instant.Instant | null>(null), (looked) =>
    Effect.fnUntraced(function* (now: Instant.Instant) {
      const before = yield* Ref.get(looked)
      if (before !== null && Math.abs(now - before) < interval) return
      yield* Ref.set(looked, now)
      yield* repair(now)
    })
  )
