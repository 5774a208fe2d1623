/** Blocks slow operations, so that a test can observe concurrent requests until the test unblocks the operations. */
import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "./Eventually.ts"
import { readJson } from "./Json.ts"

/** Slow operations wait at this latch until a test opens the latch. */
export class SlowOperationLatch extends Context.Service<
  SlowOperationLatch,
  {
    readonly pass: Effect.Effect<void>
    readonly open: Effect.Effect<void>
    /** The number of operations that wait at the latch. */
    readonly waitingCount: Effect.Effect<number>
  }
>()("SlowOperationLatch") {
  static readonly layer = Layer.effect(
    SlowOperationLatch,
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      let waitingCount = 0
      return {
        pass: Effect.ensuring(
          Effect.suspend(() => {
            waitingCount++
            return Deferred.await(opened)
          }),
          Effect.sync(() => waitingCount--)
        ),
        open: Effect.asVoid(Deferred.succeed(opened, undefined)),
        waitingCount: Effect.sync(() => waitingCount)
      }
    })
  )
}

/** Starts to count the sleeps of `millis` milliseconds, and returns an effect that reads the count. */
const waitingFor = (millis: number) =>
  Effect.map(Clock.Clock, (clock) => {
    const { sleep } = clock
    let waiting = 0
    const counted: typeof sleep = (duration) =>
      Effect.suspend(() => {
        if (Duration.toMillis(duration) === millis) waiting++
        return sleep(duration)
      })
    Object.assign(clock, { sleep: counted })
    return Effect.sync(() => waiting)
  })

/**
 * Sends three requests of one organization. Two requests are admitted, and the third is refused after ten seconds.
 * Another organization's request is admitted at the same time.
 */
export const expectConcurrencyLimitOfTwo = Effect.fnUntraced(function* ({
  another,
  answers,
  ask
}: {
  readonly ask: Effect.Effect<Response>
  /** A request of another organization. */
  readonly another: Effect.Effect<Response>
  readonly answers: readonly [own: number, another: number]
}) {
  const { waitingCount, open } = yield* SlowOperationLatch
  const waiting = yield* waitingFor(10_000)
  const asking = Effect.fnUntraced(function* (
    call: typeof ask,
    what: string,
    seen: Effect.Effect<number>,
    count: number
  ) {
    const fiber = yield* Effect.forkChild(call)
    yield* eventually(
      what,
      Effect.map(seen, (present) => present === count)
    )
    return fiber
  })
  const first = yield* asking(ask, "one at the latch", waitingCount, 1)
  const second = yield* asking(ask, "two at the latch", waitingCount, 2)
  const third = yield* asking(ask, "one who waits", waiting, 1)
  const theirs = yield* asking(another, "another's at the latch", waitingCount, 3)
  const own = [first, second, third]
  yield* TestClock.adjust("9999 millis")
  assert.isTrue(own.every((fiber) => fiber.pollUnsafe() === undefined))
  yield* TestClock.adjust(1)
  const refused = yield* Fiber.join(third)
  const { code, message } = (yield* readJson(refused)).error
  assert.deepStrictEqual([refused.status, code, refused.headers.get("retry-after")], [429, "rate_limit_exceeded", "1"])
  assert.match(message, /^At most 2 .* of an organization are .* at one time\./)
  assert.strictEqual(yield* waitingCount, 3)
  yield* open
  for (const fiber of [first, second]) assert.strictEqual((yield* Fiber.join(fiber)).status, answers[0])
  assert.strictEqual((yield* Fiber.join(theirs)).status, answers[1])
  assert.strictEqual((yield* ask).status, answers[0])
})
