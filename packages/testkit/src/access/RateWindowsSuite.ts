/**
 * Tests the guarantees of the RateWindows port. A call counts in all requested windows or in no window, and no window
 * exceeds its limit.
 */
import { assert, describe } from "@effect/vitest"
import type { RateWindowLimit } from "@partner-commentary/core/access/FixedWindowRateLimiter"
import { RateWindows } from "@partner-commentary/core/access/RateWindows"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const hour = (limit: number, name = "a"): RateWindowLimit => ({ name, limit, seconds: 3600 })
const minute = (limit: number, name = "a"): RateWindowLimit => ({ name, limit, seconds: 60 })

const take = (...windows: ReadonlyArray<RateWindowLimit>) => RateWindows.use((one) => one.take(windows))

export const suite = <E>(name: string, layer: Layer.Layer<RateWindows, E>): void => {
  describe(`${name}: RateWindows`, () => {
    const it = makeGuaranteeTest(layer)

    it("a rate window starts with its first call and lasts its full length, and each call returns the window's state", () =>
      Effect.gen(function* () {
        yield* TestClock.adjust(500)
        const stands = (remaining: number, resetsAt: number) => [{ limit: 2, remaining, resetsAt: start + resetsAt }]
        assert.deepStrictEqual(yield* take(hour(2)), { admitted: true, states: stands(1, 3_600_500) })
        yield* TestClock.adjust(3_599_999)
        assert.isTrue((yield* take(hour(2))).admitted)
        assert.deepStrictEqual(yield* take(hour(2)), { admitted: false, states: stands(0, 3_600_500) })
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* take(hour(2)), { admitted: true, states: stands(1, 7_200_500) })
      }))

    it("a call that one rate window rejects counts in no window and starts no window", () =>
      Effect.gen(function* () {
        for (const _ of [1, 2]) assert.isTrue((yield* take(hour(10), minute(2))).admitted)
        for (const _ of [1, 2]) assert.isFalse((yield* take(hour(10), minute(2))).admitted)
        assert.isFalse((yield* take(hour(10, "b"), minute(2))).admitted)
        yield* TestClock.adjust(1000)
        assert.strictEqual((yield* take(hour(10, "b"))).states[0]?.resetsAt, start + 3_601_000)
        assert.strictEqual((yield* take(hour(10))).states[0]?.remaining, 7)
      }))

    it("rate windows with different names or lengths are separate", () =>
      Effect.gen(function* () {
        assert.isTrue((yield* take(minute(1))).admitted)
        assert.isTrue((yield* take(hour(1))).admitted)
        assert.isTrue((yield* take(minute(1, 'a "{,}\\ b'))).admitted)
        assert.isFalse((yield* take(minute(1, 'a "{,}\\ b'))).admitted)
      }))

    it("a changed rate limit applies to the current rate window", () =>
      Effect.gen(function* () {
        for (const _ of [1, 2, 3]) yield* take(hour(5))
        assert.isFalse((yield* take(hour(3))).admitted)
        assert.strictEqual((yield* take(hour(3))).states[0]?.remaining, 0)
        assert.strictEqual((yield* take(hour(9))).states[0]?.remaining, 5)
      }))

    it("a full rate window rejects calls until the window ends, and rate windows restart when the clock is set back", () =>
      Effect.gen(function* () {
        assert.isTrue((yield* take(minute(1), hour(9))).admitted)
        for (const _ of [1, 2, 3]) assert.isFalse((yield* take(minute(1), hour(9))).admitted)
        yield* TestClock.adjust(60_000)
        assert.strictEqual((yield* take(minute(1), hour(9))).states[1]?.remaining, 7)
        yield* TestClock.setTime(start - 10_000_000)
        assert.strictEqual((yield* take(minute(1), hour(9))).states[1]?.remaining, 8)
      }))

    it("of concurrent calls, exactly as many as the limit are admitted, and the other calls count in no window", () =>
      Effect.gen(function* () {
        const calls = Array.from({ length: 300 }, (_, index) => take(minute(20, `a${index % 3}`), hour(1000)))
        const taken = yield* Effect.all(calls, { concurrency: "unbounded" })
        assert.strictEqual(taken.filter(({ admitted }) => admitted).length, 60)
        assert.strictEqual((yield* take(hour(1000))).states[0]?.remaining, 939)
      }))

    it("a limit that the application's own store returns without a check fails no concurrent call", () =>
      Effect.gen(function* () {
        const limits = [2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY, 1.5, Number.NaN, -1]
        const calls = [...limits, 5].flatMap((limit) => [take(hour(limit, `of ${limit}`)), take(hour(9, "other"))])
        const taken = yield* Effect.all(calls, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          taken.map(({ admitted }) => admitted),
          calls.map((_, index) => index !== 10)
        )
        assert.strictEqual(taken[0]?.states[0]?.remaining, 2 ** 31 - 1)
        assert.strictEqual((yield* take(hour(9, "other"))).states[0]?.remaining, 1)
      }))
  })
}
