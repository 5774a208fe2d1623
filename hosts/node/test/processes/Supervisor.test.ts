/** Tests how the supervisor starts, restarts and stops several fake processes. */
import { assert, it } from "@effect/vitest"
import { processRestartCounter, superviseProcesses } from "@partner-commentary/node/processes/Supervisor"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"

interface FakeProcess {
  readonly number: number
  readonly ready: Deferred.Deferred<void>
  readonly ended: Deferred.Deferred<string>
  isStopped: boolean
}

/**
 * Starts the supervisor with fake processes. The test decides when each fake process becomes ready and when it ends.
 */
const start = Effect.fnUntraced(function* (count: number) {
  const launched: Array<FakeProcess> = []
  let announced = 0
  let fault: string | undefined
  const fiber = yield* Effect.forkChild(
    superviseProcesses({
      count,
      launch: (number) =>
        Effect.gen(function* () {
          if (fault !== undefined) return yield* Effect.die(new Error(fault))
          const fake: FakeProcess = {
            number,
            ready: yield* Deferred.make<void>(),
            ended: yield* Deferred.make<string>(),
            isStopped: false
          }
          launched.push(fake)
          yield* Effect.addFinalizer(() =>
            Effect.sync(() => {
              fake.isStopped = true
            })
          )
          return { ready: Deferred.await(fake.ready), ended: Deferred.await(fake.ended) }
        }),
      announce: Effect.sync(() => {
        announced += 1
      })
    })
  )
  const settle = TestClock.adjust(0)
  yield* settle
  const makeReady = (fake: FakeProcess | undefined) =>
    Effect.andThen(Deferred.succeed((fake as FakeProcess).ready, undefined), settle)
  const end = (fake: FakeProcess | undefined, sentence: string) =>
    Effect.andThen(Deferred.succeed((fake as FakeProcess).ended, sentence), settle)
  const refuseLaunches = (reason: string | undefined) => {
    fault = reason
  }
  return { announced: () => announced, end, fiber, launched, makeReady, refuseLaunches }
})

const numbersOf = (launched: ReadonlyArray<FakeProcess>) => launched.map(({ number }) => number)

it.effect(
  "the supervisor starts the first process before the others, and announces the start once when all processes are ready",
  () =>
    Effect.gen(function* () {
      const { announced, fiber, launched, makeReady } = yield* start(3)
      assert.deepStrictEqual(numbersOf(launched), [1])
      yield* makeReady(launched[0])
      assert.deepStrictEqual(numbersOf(launched), [1, 2, 3])
      yield* makeReady(launched[1])
      assert.strictEqual(announced(), 0)
      yield* makeReady(launched[2])
      assert.strictEqual(announced(), 1)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(launched.every(({ isStopped }) => isStopped))
    })
)

it.effect(
  "a process that ends before all processes are ready fails the start with its error message, and the others are stopped",
  () =>
    Effect.gen(function* () {
      const { announced, end, fiber, launched, makeReady } = yield* start(3)
      yield* makeReady(launched[0])
      yield* end(launched[2], "PORT must name a free port.")
      const exit = yield* Fiber.await(fiber)
      const failure = Exit.isFailure(exit) ? Cause.squash(exit.cause) : assert.fail("the start succeeded")
      assert.deepInclude(failure, { _tag: "CommandFailed", message: "PORT must name a free port." })
      assert.isTrue(launched.every(({ isStopped }) => isStopped))
      assert.strictEqual(announced(), 0)
    })
)

it.effect(
  "the supervisor restarts an ended process after a delay that doubles with each restart, until the process has run for a minute",
  () =>
    Effect.gen(function* () {
      const { announced, end, fiber, launched, makeReady } = yield* start(2)
      yield* makeReady(launched[0])
      yield* makeReady(launched[1])
      const last = () => launched.at(-1)
      for (const delay of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
        yield* end(last(), "Process 2 ended with SIGKILL.")
        const before = launched.length
        yield* TestClock.adjust(delay - 1)
        assert.lengthOf(launched, before)
        yield* TestClock.adjust(1)
        assert.lengthOf(launched, before + 1)
        assert.strictEqual(last()?.number, 2)
      }
      yield* TestClock.adjust("1 minute")
      yield* end(last(), "Process 2 ended with SIGKILL.")
      const before = launched.length
      yield* TestClock.adjust(1000)
      assert.lengthOf(launched, before + 1)
      assert.strictEqual(announced(), 1)
      assert.isFalse(launched[0]?.isStopped)
      yield* Fiber.interrupt(fiber)
    })
)

it.effect("the supervisor retries a failed fork, and the other processes keep running", () =>
  Effect.gen(function* () {
    const { end, fiber, launched, makeReady, refuseLaunches } = yield* start(2)
    yield* makeReady(launched[0])
    yield* makeReady(launched[1])
    refuseLaunches("spawn ENOMEM")
    yield* end(launched[1], "Process 2 ended with SIGKILL.")
    yield* TestClock.adjust(1000)
    assert.isUndefined(fiber.pollUnsafe())
    assert.lengthOf(launched, 2)
    assert.isFalse(launched[0]?.isStopped)
    refuseLaunches(undefined)
    yield* TestClock.adjust(2000)
    assert.deepStrictEqual(numbersOf(launched), [1, 2, 2])
    yield* Fiber.interrupt(fiber)
  })
)

it.effect("each restart of a process is counted, including restarts whose fork fails", () =>
  Effect.gen(function* () {
    const counted = Effect.map(Metric.value(processRestartCounter), ({ count }) => count)
    const { end, fiber, launched, makeReady, refuseLaunches } = yield* start(2)
    yield* makeReady(launched[0])
    yield* makeReady(launched[1])
    assert.strictEqual(yield* counted, 0)
    yield* end(launched[1], "Process 2 ended with SIGKILL.")
    yield* TestClock.adjust(999)
    assert.strictEqual(yield* counted, 0)
    refuseLaunches("spawn ENOMEM")
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* counted, 1)
    refuseLaunches(undefined)
    yield* TestClock.adjust(2000)
    assert.strictEqual(yield* counted, 2)
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
)

it.effect("after each restart of a process, the supervisor logs once that the process is ready again", () => {
  const lines: Array<string> = []
  return Effect.gen(function* () {
    const { end, fiber, launched, makeReady } = yield* start(1)
    yield* makeReady(launched[0])
    assert.deepStrictEqual(lines, [])
    yield* end(launched[0], "Process 1 ended with SIGKILL.")
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(lines, ["Process 1 ended with SIGKILL. Process 1 starts again in 1s."])
    yield* makeReady(launched[1])
    assert.deepStrictEqual(lines.slice(1), ["Process 1 serves again"])
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(String(message)))])))
})
