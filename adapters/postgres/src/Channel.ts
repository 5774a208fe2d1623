/**
 * Sends short messages between the processes that use the same database, with NOTIFY and LISTEN. Listeners must also
 * poll, because messages are lost while the listening connection is down. Some poolers deliver no messages at all.
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
import type { SqlError } from "effect/sql/SqlError"
import type * as PostgresClient from "./PostgresClient.ts"
import * as SessionPool from "./SessionPool.ts"

export interface NotificationChannel {
  /**
   * Sends the message after the surrounding transaction has committed. A message that is already pending is sent only
   * once.
   */
  readonly say: (message: string) => Effect.Effect<void>
  /**
   * Adds a listener for messages. A listener also receives an empty message each time that LISTEN starts, because
   * earlier messages may have been lost.
   */
  readonly onMessage: (hear: (message: string) => Effect.Effect<void>) => void
  /** True while this process listens and the last test message has arrived. */
  readonly isHeard: Effect.Effect<boolean>
}

/** An empty message, which tells listeners that other messages may have been lost. */
export const connectionLostMessage = ""

/** The name of the channel for NOTIFY and LISTEN. */
export const channelName = "partner_commentary"

/**
 * The pause after each NOTIFY statement. Messages that arrive during the pause are sent together in the next statement.
 */
const gap = Duration.millis(25)

/** The delay before a failed LISTEN or NOTIFY is retried. */
const pause = Duration.seconds(1)

/** The channel uses real time even in tests, because the server uses real time. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/**
 * Makes a channel that sends messages over the connection pool. The channel sends pending messages before the scope
 * closes.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const fibers = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(fibers)()
  const waiting = new Set<string>()
  const hearers: Array<(message: string) => Effect.Effect<void>> = []
  let isBusy = false
  let isHeard = false

  /**
   * Sends the pending messages with one SQL statement, and returns how long to wait before the next statement. Messages
   * stay pending if the statement fails.
   */
  const send = Effect.uninterruptible(
    Effect.suspend(() => {
      const messages = [...waiting]
      waiting.clear()
      return sql`SELECT pg_notify(${channelName}, message) FROM unnest(string_to_array(${messages.join("\n")}, ${"\n"})) AS said (message)`.pipe(
        Effect.as(gap),
        Effect.catchCause((cause) => {
          for (const message of messages) waiting.add(message)
          return Effect.as(Effect.logDebug("Other processes could not be notified yet; will retry", cause), pause)
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
    isHeard: Effect.sync(() => isHeard),
    setHeard: (heard: boolean) => {
      isHeard = heard
    },
    /**
     * Sends the message immediately, without collecting other messages. The effect fails if the database refuses the
     * message.
     */
    send: (message: string) => sql`SELECT pg_notify(${channelName}, ${message})`,
    tell: (message: string) => Effect.suspend(() => Effect.forEach(hearers, (hear) => hear(message), { discard: true }))
  }
})

export interface TestMessageOptions {
  /** The interval between two test messages. */
  readonly interval: Duration.Input
  /** The maximum time until a test message arrives. If no test message arrives in time, the connection is replaced. */
  readonly timeout: Duration.Input
}

/** A database session that listens to the channel until the scope closes. */
export interface ListeningSession {
  /** The id of the session, which is unique on the server. */
  readonly processId: number
  /** Waits for the next message of the channel, and fails when the session is lost. */
  readonly take: Effect.Effect<string, SqlError>
}

/**
 * Listens on a separate connection until the scope closes. The listener replaces a lost connection. The listener also
 * sends regular test messages through the pool. After a failover, an open connection may still lead to the old server
 * and receive no messages.
 */
export const listen = Effect.fnUntraced(function* (
  { send, setHeard, tell }: Effect.Success<typeof make>,
  subscribe: Effect.Effect<ListeningSession, SqlError, Scope.Scope>,
  { interval, timeout }: TestMessageOptions = { interval: "10 seconds", timeout: "5 seconds" }
) {
  let isHeard = true
  /**
   * True after the first test message has arrived. If no test message ever arrives, the pooler delivers no
   * notifications, and a new connection would not help.
   */
  let hasArrived = false

  const session = Effect.scoped(
    Effect.gen(function* () {
      const { processId, take } = yield* subscribe
      if (!isHeard) yield* Effect.logInfo("LISTEN connection restored")
      isHeard = true
      yield* tell(connectionLostMessage)
      const test = `test ${processId}`
      const arrived = yield* Latch.make()
      const hear = Effect.flatMap(take, (message) => (message === test ? arrived.open : tell(message)))
      const check = Effect.gen(function* () {
        yield* arrived.close
        // If the database refuses a test message, the process cannot know whether the listening connection works.
        if (Result.isSuccess(yield* Effect.result(send(test)))) {
          const isSilent = Option.isNone(yield* Effect.timeoutOption(arrived.await, timeout))
          setHeard(!isSilent)
          if (isSilent && hasArrived) return yield* silent
          hasArrived ||= !isSilent
        }
        yield* Effect.sleep(interval)
      })
      return yield* Effect.raceFirst(Effect.forever(hear), Effect.forever(inRealTime(check)))
    })
  )
  const survived = Effect.catchCause(session, (cause) => {
    setHeard(false)
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    const warning = isHeard ? Effect.logWarning(unheard, cause) : Effect.void
    isHeard = false
    return Effect.andThen(warning, inRealTime(Effect.sleep(pause)))
  })
  yield* Effect.forkScoped(Effect.forever(survived))
})

const unheard = "LISTEN connection lost: until it is restored, this process polls for what others change"

const silent = SessionPool.makeConnectionError("A test message did not arrive at the LISTEN connection", "listen")

/**
 * Starts to listen on a reserved session. The session closes without an UNLISTEN statement, because UNLISTEN would wait
 * for a server that may not respond.
 */
export const openListeningSession = Effect.fnUntraced(function* (
  client: PostgresClient.PostgresClient
): Effect.fn.Return<ListeningSession, SqlError, Scope.Scope> {
  const session = yield* client.reserveSession
  const pinned = yield* Scope.make()
  const queue = yield* (yield* Scope.provide(session.pin, pinned)).listen(channelName)
  yield* Effect.addFinalizer((exit) => Scope.close(pinned, exit))
  return { processId: session.processId, take: Effect.map(Queue.take(queue), ({ payload }) => payload) }
})
