import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as TtlCache from "../../src/shared/TtlCache.ts"

/** Creates a cache in which a key's value is the number of look-ups made so far. */
const counting = Effect.gen(function* () {
  let asked = 0
  const memory = yield* TtlCache.make((_key: string) => Effect.sync(() => ++asked), {
    capacity: 10,
    timeToLive: "3 seconds"
  })
  return memory
})

describe("TTL cache", () => {
  it.effect("a TTL cache looks up a key once per lifetime, even for concurrent callers", () =>
    Effect.gen(function* () {
      const { get } = yield* counting
      assert.deepStrictEqual(yield* Effect.all([get("a"), get("a"), get("b")], { concurrency: "unbounded" }), [1, 1, 2])
      yield* TestClock.adjust("2999 millis")
      assert.strictEqual(yield* get("a"), 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* get("a"), 3)
    })
  )

  it.effect("a TTL cache invalidates exactly the matching keys", () =>
    Effect.gen(function* () {
      const { invalidate, get } = yield* counting
      yield* get("a")
      yield* get("b")
      yield* invalidate((key) => key === "a")
      assert.deepStrictEqual([yield* get("a"), yield* get("b")], [3, 2])
    })
  )

  it.effect("a TTL cache does not extend lifetimes when the clock is set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(3_600_000)
      const { get } = yield* counting
      yield* get("a")
      yield* TestClock.setTime(0)
      assert.strictEqual(yield* get("a"), 2)
      assert.strictEqual(yield* get("a"), 2)
    })
  )

  it.effect(
    "in a TTL cache, results with separate capacity have the usual lifetime but are not evicted by other results",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(3_600_000)
        let asked = 0
        const { invalidate, get } = yield* TtlCache.make((key: string) => Effect.sync(() => `${key} ${++asked}`), {
          capacity: 2,
          timeToLive: "3 seconds",
          hasOwnCapacity: (answer) => answer.startsWith("good")
        })
        yield* get("good")
        for (let n = 0; n < 5; n++) yield* get(`bad${n}`)
        assert.strictEqual(yield* get("good"), "good 1")
        yield* TestClock.adjust("2999 millis")
        assert.strictEqual(yield* get("good"), "good 1")
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* get("good"), "good 7")
        yield* invalidate((key) => key === "good")
        assert.strictEqual(yield* get("good"), "good 8")
        yield* TestClock.setTime(0)
        assert.strictEqual(yield* get("good"), "good 9")
        assert.strictEqual(yield* get("good"), "good 9")
        for (const key of ["good2", "good3"]) yield* get(key)
        assert.strictEqual(yield* get("good"), "good 12")
      })
  )

  it.effect("a TTL cache discards the result of a look-up in progress when the key is invalidated", () =>
    Effect.gen(function* () {
      let asked = 0
      const gate = yield* Deferred.make<void>()
      const { invalidate, get } = yield* TtlCache.make(
        (_key: string) => Effect.suspend(() => Effect.as(++asked === 1 ? Deferred.await(gate) : Effect.void, asked)),
        { capacity: 2, timeToLive: "3 seconds", hasOwnCapacity: () => true }
      )
      const early = yield* Effect.forkChild(get("a"))
      yield* Effect.yieldNow
      yield* invalidate((key) => key === "a")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(early)
      yield* get("a")
      assert.strictEqual(asked, 2)
    })
  )

  it.effect("a TTL cache calls the function around a look-up only if the key is not cached", () =>
    Effect.gen(function* () {
      let around = 0
      const { get } = yield* TtlCache.make((key: string) => Effect.succeed(key), {
        capacity: 2,
        timeToLive: "3 seconds",
        hasOwnCapacity: (key) => key === "good"
      })
      const ask = (key: string) =>
        get(key, (lookUp) =>
          Effect.andThen(
            Effect.sync(() => around++),
            lookUp
          )
        )
      for (const key of ["good", "good", "bad", "bad", "good"]) yield* ask(key)
      assert.strictEqual(around, 2)
    })
  )

  it.effect("a TTL cache does not cache a failed look-up", () =>
    Effect.gen(function* () {
      let left = 1
      const { get } = yield* TtlCache.make(
        (_key: string) =>
          Effect.suspend(() => (left-- > 0 ? Effect.die("the database is away") : Effect.succeed("here"))),
        { capacity: 10, timeToLive: "3 seconds" }
      )
      assert.strictEqual((yield* Effect.exit(get("a")))._tag, "Failure")
      assert.strictEqual(yield* get("a"), "here")
    })
  )
})
