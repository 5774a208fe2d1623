/**
 * Short messages between the processes on one database, by NOTIFY and LISTEN. Whoever hears a channel must do without it, by looking
 * for itself now and then: messages are lost while the listening connection is, and a pooler may pass none on.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type * as PostgresClient from "./PostgresClient.ts"
import * as SessionPool from "./SessionPool.ts"

export interface Channel {
  /** After the commit of the transaction around it, and never before. What is said again before it went out goes once. */
  readonly say: (message: string) => Effect.Effect<void>
  /** Also told `lost`, whenever messages may have been missed: each time that listening begins. */
  readonly onMessage: (hear: (message: string) => Effect.Effect<void>) => void
}

/** Stands for whatever was said meanwhile. */
export const lost = ""

const name = "partner_commentary"

/** One message goes out at a time, and after it none for so long: many that follow each other are one. */
const gap = Duration.millis(25)

/** How long after a lost connection it is tried again, to listen or to speak. */
const pause = Duration.seconds(1)

/** Real, whatever a test's clock says: the server knows no other time. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** Speaks over the pool. What is still to be said when the scope closes is said before that. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const fibers = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(fibers)()
  const waiting = new Set<string>()
  const hearers: Array<(message: string) => Effect.Effect<void>> = []
  let isBusy = false

  /** Answers with how long nothing is said afterwards. What could not be said waits with what comes meanwhile. */
  const send = Effect.uninterruptible(
    Effect.suspend(() => {
      const messages = [...waiting]
      waiting.clear()
      return sql`SELECT pg_notify(${name}, message) FROM unnest(string_to_array(${messages.join("\n")}, ${"\n"})) AS said (message)`.pipe(
        Effect.as(gap),
        Effect.catchCause((cause) => {
          for (const message of messages) waiting.add(message)
          return Effect.as(Effect.logDebug("Other processes could not be told yet", cause), pause)
        })
      )
    })
  )

  const flush = Effect.gen(function* () {
    while (waiting.size > 0) {
      const silence = yield* send
      yield* inRealTime(Effect.sleep(silence))
    }
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        isBusy = false
      })
    )
  )

  yield* Effect.addFinalizer(() => Effect.suspend(() => (waiting.size > 0 ? Effect.asVoid(send) : Effect.void)))

  return {
    say: (message: string) =>
      sql.afterCommit(
        Effect.sync(() => {
          waiting.add(message)
          if (isBusy) return
          isBusy = true
          start(flush)
        })
      ),
    onMessage: (hear: (message: string) => Effect.Effect<void>) => {
      hearers.push(hear)
    },
    /** At once, and with an answer whether the database took it. */
    send: (message: string) => sql`SELECT pg_notify(${name}, ${message})`,
    tell: (message: string) => Effect.suspend(() => Effect.forEach(hearers, (hear) => hear(message), { discard: true }))
  }
})

export interface ListenOptions {
  /** How often the connection is tested. */
  readonly interval: Duration.Input
  /** How long a test message may take before the connection is replaced. */
  readonly timeout: Duration.Input
}

/**
 * Listens on a connection of its own until the scope closes. A lost one is replaced, and what it missed is looked for. A test
 * message goes through the pool now and then: after a failover the listening connection may still lead to the old server, alive
 * and silent.
 */
export const listen = Effect.fnUntraced(function* (
  { send, tell }: Effect.Success<typeof make>,
  client: PostgresClient.PostgresClient,
  { interval, timeout }: ListenOptions = { interval: "10 seconds", timeout: "5 seconds" }
) {
  let isHeard = true
  /** Behind a pooler that passes nothing on no test message ever arrives, and a new connection changes nothing. */
  let hasArrived = false

  const session = Effect.scoped(
    Effect.gen(function* () {
      const { processId, queue } = yield* subscribe(client)
      if (!isHeard) yield* Effect.logInfo("LISTEN connection restored")
      isHeard = true
      yield* tell(lost)
      const test = `test ${processId}`
      const arrived = yield* Latch.make()
      const hear = Effect.flatMap(Queue.take(queue), ({ payload }) => (payload === test ? arrived.open : tell(payload)))
      const check = Effect.gen(function* () {
        yield* arrived.close
        // A message that the database did not take says nothing of this connection.
        if (Result.isSuccess(yield* Effect.result(send(test)))) {
          const isSilent = Option.isNone(yield* Effect.timeoutOption(arrived.await, timeout))
          if (isSilent && hasArrived) return yield* silent
          hasArrived ||= !isSilent
        }
        yield* Effect.sleep(interval)
      })
      return yield* Effect.raceFirst(Effect.forever(hear), Effect.forever(inRealTime(check)))
    })
  )
  const survived = Effect.catchCause(session, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    const warning = isHeard ? Effect.logWarning(unheard, cause) : Effect.void
    isHeard = false
    return Effect.andThen(warning, inRealTime(Effect.sleep(pause)))
  })
  yield* Effect.forkScoped(Effect.forever(survived))
})

const unheard = "LISTEN connection lost: until it is restored, this process polls for what others change"

const silent = SessionPool.connectionError("A test message did not arrive at the LISTEN connection", "listen")

/** The session is closed before its listener ends: an UNLISTEN would wait for a server that may not answer any more. */
const subscribe = Effect.fnUntraced(function* (client: PostgresClient.PostgresClient) {
  const session = yield* client.reserveSession
  const pinned = yield* Scope.make()
  const queue = yield* (yield* Scope.provide(session.pin, pinned)).listen(name)
  yield* Effect.addFinalizer((exit) => Scope.close(pinned, exit))
  return { processId: session.processId, queue }
})
