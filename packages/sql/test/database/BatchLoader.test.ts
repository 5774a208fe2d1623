/** Tests which calls form a batch, the order of batches, and the results of calls. */
import { assert, it } from "@effect/vitest"
import * as BatchLoader from "@partner-commentary/sql/database/BatchLoader"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/** Records each batch, and completes a batch when the test opens the gate of that batch. */
const held = Effect.fnUntraced(function* (
  shape: Omit<BatchLoader.BatchLoaderOptions<string>, "limit"> & { readonly limit?: number } = {}
) {
  const asked: Array<string> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const call = yield* BatchLoader.make(
    Effect.fnUntraced(function* (calls: ReadonlyArray<string>) {
      const gate = Deferred.makeUnsafe<void>()
      gates.push(gate)
      asked.push(calls.join(""))
      yield* Deferred.await(gate)
      if (calls.includes("!")) return yield* Effect.die("broken")
      return calls.map((one) => (one === "?" ? Exit.fail("refused") : Exit.succeed(one.toUpperCase())))
    }),
    { limit: 10, ...shape }
  )
  const start = (one: string) => Effect.forkChild(Effect.exit(call(one)), { startImmediately: true })
  const answer = Effect.suspend(() => Deferred.succeed(gates.shift() ?? Deferred.makeUnsafe<void>(), undefined))
  return { asked, answer, start }
})

it.effect("a single call runs immediately, and calls that arrive meanwhile run afterwards as one batch", () =>
  Effect.gen(function* () {
    const { answer, asked, start } = yield* held()
    const fibers = yield* Effect.forEach(["a", "b", "?", "d"], start)
    assert.deepStrictEqual(asked, ["a"])
    yield* answer
    yield* Fiber.join(fibers[0]!)
    assert.deepStrictEqual(asked, ["a", "b?d"])
    yield* answer
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    assert.deepStrictEqual(exits, [Exit.succeed("A"), Exit.succeed("B"), Exit.fail("refused"), Exit.succeed("D")])
    const [next] = [yield* start("e")]
    assert.deepStrictEqual(asked, ["a", "b?d", "e"])
    yield* answer
    assert.deepStrictEqual(yield* Fiber.join(next), Exit.succeed("E"))
  })
)

it.effect("a batch never exceeds the limit, and batches of different keys do not wait for each other", () =>
  Effect.gen(function* () {
    const { answer, asked, start } = yield* held({ limit: 2, keyOf: (call) => (call < "m" ? "first" : "second") })
    const fibers = yield* Effect.forEach(["a", "b", "c", "d", "x", "y"], start)
    assert.deepStrictEqual(asked, ["a", "x"])
    for (let turn = 0; turn < 5; turn++) yield* Effect.andThen(answer, Effect.yieldNow)
    yield* Effect.forEach(fibers, Fiber.join)
    assert.deepStrictEqual(asked, ["a", "x", "bc", "y", "d"])
  })
)

it.effect("a failed batch fails its own calls, but no calls that are still queued", () =>
  Effect.gen(function* () {
    const { answer, asked, start } = yield* held({ limit: 2 })
    const fibers = yield* Effect.forEach(["a", "b", "!", "c"], start)
    for (let turn = 0; turn < 3; turn++) yield* Effect.andThen(answer, Effect.yieldNow)
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    assert.deepStrictEqual(asked, ["a", "b!", "c"])
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, false, true])
  })
)

it.effect("when its caller is interrupted, a waiting call leaves the queue, but a running batch continues", () =>
  Effect.gen(function* () {
    const { answer, asked, start } = yield* held()
    const [a, b, c] = yield* Effect.forEach(["a", "b", "c"], start)
    yield* Fiber.interrupt(b!)
    yield* Fiber.interrupt(a!)
    yield* answer
    yield* Effect.yieldNow
    assert.deepStrictEqual(asked, ["a", "c"])
    yield* answer
    assert.deepStrictEqual(yield* Fiber.join(c!), Exit.succeed("C"))
  })
)

it.effect("when a batch exceeds its timeout, the batch and calls that have waited long fail, and later calls run", () =>
  Effect.gen(function* () {
    const { answer, asked, start } = yield* held({ timeout: "50 millis" })
    const exits = yield* Effect.forEach(yield* Effect.forEach(["a", "b"], start), Fiber.join)
    assert.isTrue(exits.every((exit) => Exit.isFailure(exit) && Exit.hasDies(exit)))
    assert.deepStrictEqual(asked, ["a"])
    const next = yield* start("c")
    yield* answer
    yield* answer
    assert.deepStrictEqual(yield* Fiber.join(next), Exit.succeed("C"))
  })
)

it.effect("pending calls are interrupted when the batch loader closes", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { start } = yield* Scope.provide(held(), scope)
    const fibers = yield* Effect.forEach(["a", "b"], start)
    yield* Scope.close(scope, Exit.void)
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    assert.isTrue(exits.every(Exit.hasInterrupts))
  })
)

it.live("a batch that cannot be interrupted fails its calls at the timeout, and the next batch runs", () =>
  Effect.gen(function* () {
    const gate = Deferred.makeUnsafe<void>()
    const call = yield* BatchLoader.make(
      (calls: ReadonlyArray<string>) =>
        calls.includes("silent")
          ? Effect.uninterruptible(Effect.as(Deferred.await(gate), [Exit.succeed("late")]))
          : Effect.succeed(calls.map((one) => Exit.succeed(one))),
      { limit: 10, timeout: "50 millis" }
    )
    const first = yield* Effect.forkChild(Effect.exit(call("silent")), { startImmediately: true })
    const exit = yield* Effect.timeoutOption(Fiber.join(first), "2 seconds")
    assert.strictEqual(exit._tag === "Some" && Exit.isFailure(exit.value), true)
    assert.strictEqual(yield* call("next"), "next")
    yield* Deferred.succeed(gate, undefined)
  })
)
