/** Tests the signals that a process without workers sends to other processes. */
import { assert, it } from "@effect/vitest"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { makeNewEventsSignal, WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as PostgresWorkSignal from "@partner-commentary/postgres/WorkSignal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { connectionLostMessage, type NotificationChannel } from "../src/Channel.ts"

/** A test channel that immediately delivers each message to all processes. */
const makeChannel = () => {
  const said: Array<string> = []
  const handlers: Array<Parameters<NotificationChannel["onMessage"]>[0]> = []
  const channel: NotificationChannel = {
    say: (message) => {
      said.push(message)
      return Effect.forEach(handlers, (handler) => handler(message), { discard: true })
    },
    onMessage: (handler) => void handlers.push(handler),
    isHeard: Effect.succeed(true)
  }
  return { channel, said }
}

const process = (channel: NotificationChannel) =>
  Effect.map(WorkSignal, (own) => PostgresWorkSignal.make(channel, own)).pipe(
    Effect.provide(WorkSignal.layerProcess, { local: true })
  )

it.effect("a signal about future work shortens the wait of a worker in another process", () =>
  Effect.gen(function* () {
    const { channel } = makeChannel()
    const web = yield* process(channel)
    const worker = yield* process(channel)
    const wait = yield* worker.listen("tests")
    const short = yield* Effect.forkChild(wait(Duration.seconds(1)), { startImmediately: true })
    yield* web.tell([{ kind: "tests", at: 1500 }])
    assert.isUndefined(short.pollUnsafe())
    yield* TestClock.adjust("1 second")
    const long = yield* Effect.forkChild(wait(Duration.minutes(10)), { startImmediately: true })
    yield* web.tell([{ kind: "tests", at: 1400 }])
    yield* Fiber.join(long)
  }).pipe(Effect.scoped)
)

it.effect(
  "for each kind of work, only the earliest due time is signaled, because the worker then polls and finds later work",
  () =>
    Effect.gen(function* () {
      const { channel, said } = makeChannel()
      const web = yield* process(channel)
      for (const at of [2000, 3000, 2000, 1000]) yield* web.tell([{ kind: "tests", at }])
      yield* TestClock.adjust("1 second")
      yield* web.tell([{ kind: "tests", at: 3000 }])
      assert.deepStrictEqual(said, ["work tests 2000", "work tests 1000", "work tests 3000"])
    }).pipe(Effect.scoped)
)

it.effect("a process sends no signal to other processes about work for which it has its own worker", () =>
  Effect.gen(function* () {
    const { channel, said } = makeChannel()
    const both = yield* process(channel)
    yield* both.listen("tests")
    yield* both.tell(["tests", { kind: "tests", at: 1000 }, "mails"])
    assert.deepStrictEqual(said, ["work mails"])
  }).pipe(Effect.scoped)
)

it.effect("a waiting request continues when the LISTEN connection is restored, but not when workers are notified", () =>
  Effect.gen(function* () {
    const { channel } = makeChannel()
    const one = yield* process(channel)
    const id = "7e570000-0000-4000-8000-000000000001" as OrganizationId
    const wait = yield* one.listen(makeNewEventsSignal({ organizationId: id, environment: "live" }))
    const waiting = yield* Effect.forkChild(wait(Duration.minutes(1)), { startImmediately: true })
    yield* one.notify
    yield* TestClock.adjust("30 seconds")
    assert.isUndefined(waiting.pollUnsafe())
    yield* channel.say(connectionLostMessage)
    assert.isTrue(yield* Fiber.join(waiting))
  }).pipe(Effect.scoped)
)
