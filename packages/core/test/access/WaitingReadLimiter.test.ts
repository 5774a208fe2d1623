import { assert, it } from "@effect/vitest"
import {
  ConcurrencyLimit,
  concurrencyPoolLimits,
  TooManyRequests
} from "@partner-commentary/core/access/ConcurrencyLimit"
import { maxWaitingReadsByPool, WaitingReadLimiter } from "@partner-commentary/core/access/WaitingReadLimiter"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const acme = "acme" as OrganizationId
const other = "other" as OrganizationId
const layer = Layer.provideMerge(WaitingReadLimiter.layer, ConcurrencyLimit.layer)
const crowd = concurrencyPoolLimits.waiting.each

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

/**
 * Advances the clock in steps of one read's duration, so that a waiting read takes each released permit before the next
 * step.
 */
const pass = (milliseconds: number) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("5 millis"), settle), { times: milliseconds / 5 - 1 })

const work = Effect.sleep("5 millis")

it.effect.each(["standard", "frequent"] as const)(
  "a thousand reads after one signal cause no rejection of ordinary requests in the %s pool",
  (pool) =>
    Effect.gen(function* () {
      const { withPermit } = yield* ConcurrencyLimit
      const read = yield* WaitingReadLimiter
      let done = 0
      const one = read(
        pool,
        acme,
        Effect.andThen(
          work,
          Effect.sync(() => void done++)
        )
      )
      const woken = yield* Effect.forEach(Array.from({ length: crowd }), () => Effect.forkChild(one))
      const ordinary = yield* Effect.forEach(Array.from({ length: 60 }), () =>
        Effect.tap(Effect.forkChild(Effect.exit(withPermit(pool, acme, work, (release) => release()))), pass(25))
      )
      for (const fiber of ordinary) assert.strictEqual(fiber.pollUnsafe()?._tag, "Success")
      for (const fiber of ordinary) assert.strictEqual((yield* Fiber.join(fiber))._tag, "Success")
      yield* pass((crowd / maxWaitingReadsByPool[pool]) * 5)
      assert.strictEqual(done, crowd)
      yield* Effect.forEach(woken, Fiber.join)
    }).pipe(Effect.provide(layer))
)

it.effect("reads after a change signal run in the order of arrival, at most two at a time per organization", () =>
  Effect.gen(function* () {
    const read = yield* WaitingReadLimiter
    const started: Array<string> = []
    const start = (organization: OrganizationId, name: number) =>
      Effect.gen(function* () {
        const end = yield* Deferred.make<void>()
        const run = Effect.andThen(
          Effect.sync(() => started.push(`${organization} ${name}`)),
          Deferred.await(end)
        )
        const fiber = yield* Effect.forkChild(read("standard", organization, run))
        yield* settle
        return { fiber, end: Effect.andThen(Deferred.succeed(end, undefined), settle) }
      })
    const first = yield* start(acme, 1)
    yield* start(acme, 2)
    const gone = yield* start(acme, 3)
    yield* start(acme, 4)
    yield* start(other, 1)
    assert.deepStrictEqual(started, ["acme 1", "acme 2", "other 1"])
    yield* Fiber.interrupt(gone.fiber)
    yield* first.end
    assert.deepStrictEqual(started.slice(3), ["acme 4"])
  }).pipe(Effect.provide(layer))
)

it.effect("the read after a change signal is retried while ordinary requests fill the pool", () =>
  Effect.gen(function* () {
    const { withPermit } = yield* ConcurrencyLimit
    const read = yield* WaitingReadLimiter
    const { each, waiting } = concurrencyPoolLimits.standard
    const end = yield* Deferred.make<void>()
    const busy = yield* Effect.forEach(Array.from({ length: each + waiting }), () =>
      Effect.forkChild(withPermit("standard", acme, Deferred.await(end), (release) => release()))
    )
    yield* settle
    const woken = yield* Effect.forkChild(read("standard", acme, Effect.succeed("read")))
    yield* TestClock.adjust("1 second")
    assert.isUndefined(woken.pollUnsafe())
    yield* Deferred.succeed(end, undefined)
    yield* Effect.forEach(busy, Fiber.join)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* Fiber.join(woken), "read")
  }).pipe(Effect.provide(layer))
)

it.effect("a read after a change signal is rejected and leaves the queue when it has waited for 30 seconds", () =>
  Effect.gen(function* () {
    const read = yield* WaitingReadLimiter
    const slow = yield* Effect.forEach(Array.from({ length: maxWaitingReadsByPool.standard }), () =>
      Effect.forkChild(read("standard", acme, Effect.never))
    )
    yield* settle
    const woken = yield* Effect.forkChild(Effect.flip(read("standard", acme, Effect.void)))
    yield* TestClock.adjust("30 seconds")
    assert.instanceOf(yield* Fiber.join(woken), TooManyRequests)
    yield* Effect.forEach(slow, Fiber.interrupt)
    yield* read("standard", acme, Effect.void)
  }).pipe(Effect.provide(layer))
)
