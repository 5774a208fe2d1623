/** Tests which listeners each signal wakes, and how long a listener waits. */
import { assert, it } from "@effect/vitest"
import type { TopicId } from "@partner-commentary/core/shared/Ids"
import {
  type ChangeSignal,
  makeTopicChangeSignal,
  type WorkKind,
  WorkSignal
} from "@partner-commentary/core/shared/WorkSignal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const kinds: ReadonlyArray<WorkKind> = ["assignments", "tests", "mails", "deliveries", "recoveries", "removals"]

const change = makeTopicChangeSignal("019c0e5f-03aa-7001-8000-94d0b7f3a6e2" as TopicId)

/** Returns the listeners that a signal wakes. The test has worker listeners and one request that waits for a change. */
const listWokenListeners = (signal: (service: WorkSignal["Service"]) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const service = yield* WorkSignal
    const seen: Array<WorkKind | ChangeSignal> = []
    const listeners = yield* Effect.forEach([...kinds, change], (kind) =>
      Effect.gen(function* () {
        const wait = yield* service.listen(kind)
        return yield* Effect.forkChild(Effect.tap(wait(Duration.days(1)), () => Effect.sync(() => seen.push(kind))))
      })
    )
    yield* signal(service)
    yield* TestClock.adjust("1 hour")
    yield* Fiber.interruptAll(listeners)
    return seen
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))

it.effect("a signal for some kinds of work wakes only the listeners of these kinds", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* listWokenListeners(({ tell }) => tell(["deliveries"])), ["deliveries"])
    assert.deepStrictEqual(yield* listWokenListeners(({ tell }) => tell(["assignments", "mails"])), [
      "assignments",
      "mails"
    ])
    assert.deepStrictEqual(yield* listWokenListeners(({ tell }) => tell([])), [])
  })
)

it.effect("a signal for all work wakes every worker, but does not wake a request that waits for a change", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* listWokenListeners(({ notify }) => notify), [...kinds])
  })
)

it.effect("wakeAll wakes every listener, for the case that signals were lost", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* listWokenListeners(({ wakeAll }) => wakeAll), [...kinds, change])
  })
)

it.effect("if a signal arrives before a wait starts, that wait ends immediately, but the following wait does not", () =>
  Effect.gen(function* () {
    const { listen, tell } = yield* WorkSignal
    const wait = yield* listen("mails")
    yield* tell(["mails"])
    yield* wait(Duration.days(1))
    const waiting = yield* Effect.forkChild(wait(Duration.minutes(1)))
    yield* TestClock.adjust("59 seconds")
    assert.isUndefined(waiting.pollUnsafe())
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(waiting)
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

it.effect("a signal for later work shortens a longer wait, but ends no wait before the work is due", () =>
  Effect.gen(function* () {
    const { listen, tell } = yield* WorkSignal
    const wait = yield* listen("mails")
    const waiting = yield* Effect.forkChild(wait(Duration.minutes(1)), { startImmediately: true })
    yield* tell([{ kind: "mails", at: 3_600_000 }])
    yield* TestClock.adjust("30 seconds")
    assert.isUndefined(waiting.pollUnsafe())
    yield* tell([{ kind: "mails", at: 40_000 }])
    yield* Fiber.join(waiting)
    yield* tell([{ kind: "mails", at: 90_000 }])
    const next = yield* Effect.forkChild(wait(Duration.days(1)), { startImmediately: true })
    yield* TestClock.adjust("59 seconds")
    assert.isUndefined(next.pollUnsafe())
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(next)
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

it.effect("a wait of zero takes a pending signal, and keeps a signal for later work", () =>
  Effect.gen(function* () {
    const { listen, tell } = yield* WorkSignal
    const wait = yield* listen("mails")
    assert.isFalse(yield* wait(Duration.zero))
    yield* tell(["mails", { kind: "mails", at: 90_000 }])
    assert.isTrue(yield* wait(Duration.zero))
    assert.isFalse(yield* wait(Duration.zero))
    const waiting = yield* Effect.forkChild(wait(Duration.days(1)), { startImmediately: true })
    yield* TestClock.adjust("89 seconds")
    assert.isUndefined(waiting.pollUnsafe())
    yield* TestClock.adjust("1 second")
    assert.isFalse(yield* Fiber.join(waiting))
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)
