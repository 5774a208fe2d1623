import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Memory from "../../src/shared/Memory.ts"

/** Answers with how often it was asked. */
const counting = Effect.gen(function* () {
  let asked = 0
  const memory = yield* Memory.make((_key: string) => Effect.sync(() => ++asked), {
    capacity: 10,
    kept: "3 seconds"
  })
  return memory
})

describe("what was looked up moments ago", () => {
  it.effect("is looked up once in its time, for all who ask at once, and then again", () =>
    Effect.gen(function* () {
      const { get } = yield* counting
      assert.deepStrictEqual(yield* Effect.all([get("a"), get("a"), get("b")], { concurrency: "unbounded" }), [1, 1, 2])
      yield* TestClock.adjust("2999 millis")
      assert.strictEqual(yield* get("a"), 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* get("a"), 3)
    })
  )

  it.effect("is forgotten by those who hear that it changed, and no more than that", () =>
    Effect.gen(function* () {
      const { forget, get } = yield* counting
      yield* get("a")
      yield* get("b")
      yield* forget((key) => key === "a")
      assert.deepStrictEqual([yield* get("a"), yield* get("b")], [3, 2])
    })
  )

  it.effect("is kept no longer where the clock steps back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(3_600_000)
      const { get } = yield* counting
      yield* get("a")
      yield* TestClock.setTime(0)
      assert.strictEqual(yield* get("a"), 2)
      assert.strictEqual(yield* get("a"), 2)
    })
  )

  it.effect("is not kept where the look-up broke off", () =>
    Effect.gen(function* () {
      let left = 1
      const { get } = yield* Memory.make(
        (_key: string) =>
          Effect.suspend(() => (left-- > 0 ? Effect.die("the database is away") : Effect.succeed("here"))),
        { capacity: 10, kept: "3 seconds" }
      )
      assert.strictEqual((yield* Effect.exit(get("a")))._tag, "Failure")
      assert.strictEqual(yield* get("a"), "here")
    })
  )
})
