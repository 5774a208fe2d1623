/** Tests that machines with a common database use the clock of the database as the reference time. */
import { assert, describe, it } from "@effect/vitest"
import * as DatabaseClock from "@partner-commentary/postgres/DatabaseClock"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/** Makes the clock of a machine. The test sets the clock's wall time and monotonic time in milliseconds. */
const machine = (state: { wall: number; monotonic: number }): Clock.Clock => {
  const nanos = (millis: number) => BigInt(Math.round(millis * 1e6))
  const usual = Clock.Clock.defaultValue()
  return {
    currentTimeMillisUnsafe: () => state.wall,
    currentTimeMillis: Effect.sync(() => state.wall),
    currentTimeNanosUnsafe: () => nanos(state.wall),
    currentTimeNanos: Effect.sync(() => nanos(state.wall)),
    monotonicTimeNanosUnsafe: () => nanos(state.monotonic),
    monotonicTimeNanos: Effect.sync(() => nanos(state.monotonic)),
    sleep: (duration) => usual.sleep(duration)
  }
}

describe("Database clock", () => {
  it("the database clock follows monotonic time, even when the clock of the machine changes", () => {
    const state = { wall: 1_000_000, monotonic: 50 }
    const clock = DatabaseClock.make(machine(state))
    clock.set(2_000_000, 50)
    state.wall = 0
    state.monotonic = 1050.4
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 2_001_000)
    assert.strictEqual(clock.currentTimeNanosUnsafe(), 2_001_000_000_000n)
  })

  it("the database clock stands still for a small backward correction, and goes back for a large correction", () => {
    const state = { wall: 1_000_000, monotonic: 0 }
    const clock = DatabaseClock.make(machine(state))
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_000_000)
    clock.set(999_500, 0)
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_000_000)
    state.monotonic = 600
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_000_100)
    clock.set(500_000, 600)
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 500_000)
  })
})

/**
 * Returns the log, and the difference between the database clock and the true time. `ahead` is the number of
 * milliseconds by which the machine's clock is fast. `slow` is the number of milliseconds until the database's first
 * response.
 */
const withClockAhead = Effect.fnUntraced(function* (ahead: number, slow = 0) {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(String(message)))
  const usual = Clock.Clock.defaultValue()
  const wall = usual.currentTimeMillisUnsafe() + ahead
  const wrong = machine({ wall, monotonic: Number(usual.monotonicTimeNanosUnsafe()) / 1e6 })
  let reads = 0
  const monotonicTimeNanosUnsafe = () => {
    reads += 1
    // The database clock reads the machine's clock when the database clock is created, and again just before the first
    // response. From the third read on, each read happens after the database's first response.
    return usual.monotonicTimeNanosUnsafe() + (reads > 2 ? BigInt(slow) * 1_000_000n : 0n)
  }
  const present = { ...wrong, monotonicTimeNanosUnsafe }
  const away = yield* Effect.map(Clock.currentTimeMillis, (now) => now - usual.currentTimeMillisUnsafe()).pipe(
    Effect.provide(
      DatabaseClock.layer.pipe(
        Layer.provide(TestDatabase.layer),
        Layer.provide(Logger.layer([logger])),
        Layer.provide(Layer.succeed(Clock.Clock, present))
      )
    )
  )
  return { away: Math.abs(away), logged }
})

it.live("a machine whose clock is an hour fast uses the database's time from the start, and logs one warning", () =>
  Effect.gen(function* () {
    const { away, logged } = yield* withClockAhead(3_600_000)
    assert.isBelow(away, 1000)
    assert.lengthOf(logged, 1)
    assert.include(logged[0], "clock is not the database's")
  })
)

it.live("a machine whose clock is a second fast uses the database's time, and logs no warning", () =>
  Effect.gen(function* () {
    const { away, logged } = yield* withClockAhead(1000)
    assert.isBelow(away, 900)
    assert.deepStrictEqual(logged, [])
  })
)

it.live("the clock immediately takes another sample if the database's first response is too slow", () =>
  Effect.gen(function* () {
    const { away } = yield* withClockAhead(3_600_000, 2000)
    assert.isBelow(away, 1000)
  })
)
