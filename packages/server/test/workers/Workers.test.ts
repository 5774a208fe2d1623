/** Tests when a worker polls: immediately while polls find work, otherwise at a signal, a due time or an interval. */
import { assert, it } from "@effect/vitest"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import type { JobRunner } from "@partner-commentary/server/workers/JobRunner"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerSettings"
import { keepPolling } from "@partner-commentary/server/workers/Workers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

const settings = Layer.succeed(WorkerSettings, {
  ...WorkerSettings.defaultValue(),
  pollInterval: Duration.minutes(5),
  pause: Duration.seconds(1),
  drafts: 1,
  mails: 1,
  deliveries: 1,
  media: 1
})

/** Runs the fibers until all of them wait. */
const settle = Effect.repeat(Effect.yieldNow, { times: 200 })

/**
 * Starts a worker whose first poll claims `taken` jobs and whose later polls claim none. Returns the number of polls.
 */
const started = Effect.fnUntraced(function* (taken: number, dueIn: Option.Option<Duration.Input>) {
  let polls = 0
  const now = yield* Instant.now
  const runner: JobRunner = {
    kind: "mails",
    hasDueTimes: true,
    poll: Effect.sync(() => (++polls === 1 ? taken : 0)),
    nextDue: Effect.succeed(Option.map(dueIn, (delay) => Instant.plus(now, Duration.fromInputUnsafe(delay)))),
    runDue: Effect.succeed(0),
    inFlight: Effect.succeed(0),
    settled: Effect.void
  }
  yield* Effect.forkScoped(keepPolling(runner))
  yield* settle
  return Effect.as(settle, () => polls)
})

const context = Layer.merge(settings, WorkSignal.layerProcess)

it.effect("due work that cannot start is polled again after the pause, and not immediately", () =>
  Effect.gen(function* () {
    const polls = yield* started(0, Option.some("0 seconds"))
    assert.strictEqual((yield* polls)(), 1)
    yield* TestClock.adjust("999 millis")
    assert.strictEqual((yield* polls)(), 1)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* polls)(), 2)
  }).pipe(Effect.scoped, Effect.provide(context))
)

it.effect("a worker that has done all due work waits for the next due time", () =>
  Effect.gen(function* () {
    const polls = yield* started(3, Option.some("20 seconds"))
    assert.strictEqual((yield* polls)(), 1)
    yield* TestClock.adjust("20 seconds")
    assert.isAbove((yield* polls)(), 1)
  }).pipe(Effect.scoped, Effect.provide(context))
)

it.effect("a worker that claimed work polls again immediately while more work is due", () =>
  Effect.gen(function* () {
    const polls = yield* started(3, Option.some("0 seconds"))
    assert.strictEqual((yield* polls)(), 2)
  }).pipe(Effect.scoped, Effect.provide(context))
)

it.effect("a worker without due times waits for a signal or the poll interval", () =>
  Effect.gen(function* () {
    const polls = yield* started(0, Option.none())
    yield* TestClock.adjust("4 minutes")
    assert.strictEqual((yield* polls)(), 1)
    yield* (yield* WorkSignal).tell(["mails"])
    assert.strictEqual((yield* polls)(), 2)
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual((yield* polls)(), 3)
  }).pipe(Effect.scoped, Effect.provide(context))
)
