/**
 * Tests that messages reach other processes, even if all connections were in use or the LISTEN connection became
 * silent.
 */
import { assert, it } from "@effect/vitest"
import * as Channel from "@partner-commentary/postgres/Channel"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import * as PostgresProxy from "@partner-commentary/test/postgres/PostgresProxy"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"

it.live("if no connection is free for a message, the message is sent when a connection becomes free", () =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.used
    const speaker = yield* PostgresClient.make({ url, poolSize: 1, acquireTimeout: "100 millis" })
    const channel = yield* Effect.provideService(Channel.make, SqlClient.SqlClient, speaker)
    const listening = yield* Deferred.make<void>()
    const heard = yield* Deferred.make<string>()
    channel.onMessage((message) =>
      message === Channel.connectionLostMessage
        ? Deferred.succeed(listening, undefined)
        : Deferred.succeed(heard, message)
    )
    yield* Channel.listen(channel, Channel.openListeningSession(yield* PostgresClient.make({ url, poolSize: 1 })))
    yield* Deferred.await(listening)
    // The test opens the connection first, so that opening the connection does not use up the timeouts of waiting
    // callers.
    yield* speaker`SELECT 1`
    const isHeld = yield* Deferred.make<void>()
    const hold = Effect.andThen(Deferred.succeed(isHeld, undefined), Effect.sleep("400 millis"))
    const held = yield* Effect.forkChild(speaker.withTransaction(hold))
    yield* Deferred.await(isHeld)
    yield* channel.say("work mails")
    yield* Fiber.join(held)
    assert.strictEqual(yield* Effect.timeout(Deferred.await(heard), "5 seconds"), "work mails")
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)

it.live("an open LISTEN connection that no longer receives messages is replaced", () =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.used
    const wire = Effect.acquireRelease(
      Effect.promise(() => PostgresProxy.openPostgresRecordingProxy(Redacted.value(url))),
      ({ close }) => Effect.promise(close)
    )
    const speaking = yield* wire
    const listening = yield* wire
    const channel = yield* Effect.provideService(
      Channel.make,
      SqlClient.SqlClient,
      yield* PostgresClient.make({ url: Redacted.make(speaking.url), poolSize: 1 })
    )
    const messages = yield* Queue.unbounded<string>()
    channel.onMessage((message) => Queue.offer(messages, message))
    const listener = yield* PostgresClient.make({ url: Redacted.make(listening.url), poolSize: 1, statementTimeout: 0 })
    yield* Channel.listen(channel, Channel.openListeningSession(listener), {
      interval: "200 millis",
      timeout: "1 second"
    })
    assert.strictEqual(yield* Queue.take(messages), Channel.connectionLostMessage)
    // The listener sends the second test message after the first test message has arrived.
    const sent = Effect.sync(
      () => speaking.roundTrips.flat().filter((statement) => statement.includes("pg_notify")).length
    )
    yield* Effect.repeat(Effect.delay(sent, "20 millis"), { until: (count) => count >= 2 })
    const isHeard = (expected: boolean) =>
      Effect.repeat(Effect.delay(channel.isHeard, "20 millis"), { until: (heard) => heard === expected })
    yield* Effect.timeout(isHeard(true), "5 seconds")
    listening.freeze()
    yield* Effect.timeout(isHeard(false), "30 seconds")
    assert.strictEqual(yield* Effect.timeout(Queue.take(messages), "30 seconds"), Channel.connectionLostMessage)
    yield* Effect.timeout(isHeard(true), "5 seconds")
    yield* channel.say("work mails")
    assert.strictEqual(yield* Effect.timeout(Queue.take(messages), "5 seconds"), "work mails")
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)
