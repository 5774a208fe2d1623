import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import * as TokenRateLimiter from "../../src/creator-portal/TokenRateLimiter.ts"

const make = (capacity: number) => TokenRateLimiter.make({ limit: 2, seconds: 60, capacity })

it.effect("a rate window starts with the first request, lasts a minute, and reports the wait in whole seconds", () =>
  Effect.gen(function* () {
    const { take } = make(10)
    assert.strictEqual(yield* take("a"), 0)
    yield* TestClock.adjust("59 seconds")
    assert.strictEqual(yield* take("a"), 0)
    assert.strictEqual(yield* take("a"), 1)
    yield* TestClock.adjust(999)
    assert.strictEqual(yield* take("a"), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* take("a"), 0)
  })
)

it.effect("different tokens have separate rate windows", () =>
  Effect.gen(function* () {
    const { take } = make(10)
    yield* take("a")
    yield* take("a")
    assert.strictEqual(yield* take("b"), 0)
    assert.isAbove(yield* take("a"), 0)
  })
)

it.effect("the oldest rate window is removed when the capacity is reached", () =>
  Effect.gen(function* () {
    const { take } = make(2)
    for (const token of ["a", "a", "b", "b", "c"]) yield* take(token)
    assert.isAbove(yield* take("b"), 0)
    assert.strictEqual(yield* take("a"), 0)
  })
)

it.effect("rate windows that have ended are removed", () =>
  Effect.gen(function* () {
    const { take } = make(2)
    for (const token of ["a", "a", "b", "b"]) yield* take(token)
    yield* TestClock.adjust("1 minute")
    yield* take("c")
    yield* take("c")
    assert.isAbove(yield* take("c"), 0)
    assert.strictEqual(yield* take("a"), 0)
  })
)
