/**
 * A TestClock for tests on Postgres. Effect's TestClock advances as soon as all fibers wait, even if they wait for
 * the server's reply. This clock advances only when no connection is in use. `TestClock.adjust` and `TestClock.setTime`
 * move this clock, too.
 */
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type { TestClock } from "effect/testing/TestClock"

/** The clock waits until no connection is in use for this number of consecutive event-loop turns. */
const looks = 5
/**
 * The time in milliseconds after which the clock advances even if connections are in use. After this time, the clock
 * assumes that the fibers with a connection sleep until a later time of the test clock.
 */
const timeoutMs = 2000

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const settle = (inUse: () => number) =>
  Effect.promise(async () => {
    const until = performance.now() + timeoutMs
    for (let quiet = 0; quiet < looks && performance.now() < until; ) {
      await turn()
      quiet = inUse() === 0 ? quiet + 1 : 0
    }
  })

const make = (inUse: () => number): TestClock => {
  const sleeps: Array<{ readonly until: number; readonly latch: Latch.Latch }> = []
  const live = Clock.Clock.defaultValue()
  let now = 0

  const moveTo = (target: (now: number) => number) =>
    Effect.gen(function* () {
      yield* settle(inUse)
      const end = target(now)
      for (;;) {
        sleeps.sort((one, other) => one.until - other.until)
        const [next] = sleeps
        if (next === undefined || next.until > end) break
        sleeps.shift()
        now = Math.max(now, next.until)
        next.latch.openUnsafe()
        yield* settle(inUse)
      }
      now = end
    })

  const nanos = () => BigInt(Math.floor(now)) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => now,
    currentTimeNanosUnsafe: nanos,
    monotonicTimeNanosUnsafe: nanos,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.suspend(() => {
        const millis = Duration.toMillis(duration)
        if (millis <= 0) return Effect.void
        const sleep = { until: now + millis, latch: Latch.makeUnsafe() }
        sleeps.push(sleep)
        return Effect.ensuring(
          sleep.latch.await,
          Effect.sync(() => {
            const index = sleeps.indexOf(sleep)
            if (index >= 0) sleeps.splice(index, 1)
          })
        )
      }),
    adjust: (duration) => moveTo((at) => at + Duration.toMillis(Duration.fromInputUnsafe(duration))),
    setTime: (timestamp) => moveTo(() => timestamp),
    withLive: (effect) => Effect.provideService(effect, Clock.Clock, live)
  }
}

/** Replaces Effect's TestClock. Keeps a real clock, because tests do not move a real clock. */
export const layer = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const present = yield* Clock.Clock
    if (!("adjust" in present)) return present
    const { inUse } = yield* PostgresClient.PostgresClient
    const clock = make(inUse)
    yield* clock.setTime(yield* Clock.currentTimeMillis)
    return clock
  })
)
