import { assert, describe, it } from "@effect/vitest"
import * as KeyedSemaphore from "@partner-commentary/core/shared/KeyedSemaphore"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

/** Callers that record their name when they get a permit. */
const callers = (bounds: KeyedSemaphore.SemaphoreLimits) => {
  const { release, take } = KeyedSemaphore.make<string>(bounds)
  const served: Array<string> = []
  const ask = (name: string) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Effect.uninterruptibleMask((restore) =>
          Effect.map(take(name[0] ?? "", "10 seconds", restore), (isTaken) => {
            if (isTaken) served.push(name)
            return isTaken
          })
        )
      )
      yield* settle
      return fiber
    })
  const leave = (name: string, use?: number) =>
    Effect.andThen(
      Effect.sync(() => release(name[0] ?? "", use)),
      settle
    )
  return { ask, leave, served }
}

describe("Keyed semaphore", () => {
  it.effect("a keyed semaphore limits the permits of each key and serves a key's callers in order of arrival", () =>
    Effect.gen(function* () {
      const { ask, leave, served } = callers({ each: 2, waiting: 10 })
      for (const name of ["a1", "a2", "a3", "b1", "a4"]) yield* ask(name)
      assert.deepStrictEqual(served, ["a1", "a2", "b1"])
      yield* leave("a1")
      yield* leave("a2")
      assert.deepStrictEqual(served, ["a1", "a2", "b1", "a3", "a4"])
    })
  )

  it.effect("a keyed semaphore serves keys in turn, even if one key has many callers", () =>
    Effect.gen(function* () {
      const { ask, leave, served } = callers({ each: 2, total: 2, waiting: 10 })
      for (const name of ["a1", "a2", "a3", "a4", "a5", "b1", "c1"]) yield* ask(name)
      assert.deepStrictEqual(served, ["a1", "a2"])
      for (const name of ["a1", "a2", "b1", "c1"]) yield* leave(name)
      assert.deepStrictEqual(served, ["a1", "a2", "b1", "c1", "a3", "a4"])
    })
  )

  it.effect("the key that holds the fewest permits gets the next permit of a keyed semaphore", () =>
    Effect.gen(function* () {
      const { ask, leave, served } = callers({ each: 3, total: 3, waiting: 10 })
      for (const name of ["a1", "b1", "b2", "b3", "a2", "c1"]) yield* ask(name)
      yield* leave("b1")
      assert.deepStrictEqual(served, ["a1", "b1", "b2", "c1"])
    })
  )

  it.effect("of several waiting keys that hold no permit, the key with the least use gets the next permit", () =>
    Effect.gen(function* () {
      const { ask, leave, served } = callers({ each: 1, total: 1, waiting: 10 })
      for (const name of ["a1", "a2", "b1", "b2", "b3"]) yield* ask(name)
      yield* leave("a1", 10)
      yield* leave("b1", 4)
      yield* leave("b2", 4)
      assert.deepStrictEqual(served, ["a1", "b1", "b2", "b3"])
      yield* leave("b3", 4)
      assert.deepStrictEqual(served, ["a1", "b1", "b2", "b3", "a2"])
    })
  )

  it.effect("an idle key of a keyed semaphore later takes turns with other keys instead of taking all permits", () =>
    Effect.gen(function* () {
      const { ask, leave, served } = callers({ each: 1, total: 1, waiting: 10 })
      for (const name of ["a1", "a2"]) yield* ask(name)
      yield* leave("a1", 10)
      for (const name of ["b1", "b2", "a3"]) yield* ask(name)
      yield* leave("a2", 1)
      yield* leave("b1", 2)
      assert.deepStrictEqual(served, ["a1", "a2", "b1", "a3"])
    })
  )

  it.effect("the use of a key exceeds the use of other keys by at most the maximum lead", () =>
    Effect.gen(function* () {
      const { ask, leave, served } = callers({ each: 1, total: 1, waiting: 10, maxLead: 5 })
      for (const name of ["a1", "a2", "b1", "b2", "b3"]) yield* ask(name)
      yield* leave("a1", 1000)
      yield* leave("b1", 3)
      yield* leave("b2", 3)
      assert.deepStrictEqual(served, ["a1", "b1", "b2", "a2"])
    })
  )

  it.effect("use while no other key waits does not count against a key later", () =>
    Effect.gen(function* () {
      const { ask, leave, served } = callers({ each: 1, total: 1, waiting: 10 })
      yield* ask("a1")
      yield* leave("a1", 1000)
      for (const name of ["b1", "a2", "b2"]) yield* ask(name)
      yield* leave("b1", 1)
      assert.deepStrictEqual(served, ["a1", "b1", "a2"])
    })
  )

  it.effect("a keyed semaphore rejects a caller if too many callers of the key wait, or if the timeout ends", () =>
    Effect.gen(function* () {
      const { ask, leave, served } = callers({ each: 1, waiting: 1 })
      yield* ask("a1")
      const waits = yield* ask("a2")
      const refused = yield* ask("a3")
      assert.strictEqual(yield* Fiber.join(refused), false)
      yield* TestClock.adjust(9_999)
      assert.isUndefined(waits.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(waits), false)
      yield* ask("a4")
      yield* leave("a1")
      assert.deepStrictEqual(served, ["a1", "a4"])
    })
  )

  it.effect(
    "an interrupted caller leaves the queue of a keyed semaphore, or releases the permit that the caller has just received",
    () =>
      Effect.gen(function* () {
        const { ask, leave, served } = callers({ each: 1, waiting: 10 })
        yield* ask("a1")
        const [gone, granted] = [yield* ask("a2"), yield* ask("a3")]
        yield* Fiber.interrupt(gone)
        yield* ask("a4")
        granted.interruptUnsafe()
        yield* leave("a1")
        assert.deepStrictEqual(served, ["a1", "a4"])
        yield* ask("a5")
        yield* leave("a4")
        assert.deepStrictEqual(served, ["a1", "a4", "a5"])
      })
  )
})
