/**
 * Short messages between the processes on one database, by NOTIFY and LISTEN. Whoever hears a channel must do without it, by looking
 * for itself now and then: messages are lost while the listening connection is, and a pooler may pass none on.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import * as SqlClient from "effect/sql/SqlClient"
import type * as PostgresClient from "./PostgresClient.ts"

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
    tell: (message: string) => Effect.suspend(() => Effect.forEach(hearers, (hear) => hear(message), { discard: true }))
  }
})

/** Listens on a connection of its own until the scope closes; a lost one is replaced, and what it missed is looked for. */
export const listen = Effect.fnUntraced(function* (
  { tell }: Effect.Success<typeof make>,
  client: PostgresClient.PostgresClient
) {
  let isHeard = true

  const session = Effect.scoped(
    Effect.gen(function* () {
      const queue = yield* (yield* client.reserveSession).listen(name)
      if (!isHeard) yield* Effect.logInfo("Other processes are heard again")
      isHeard = true
      yield* tell(lost)
      return yield* Effect.forever(Effect.flatMap(Queue.take(queue), ({ payload }) => tell(payload)))
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

const unheard = "Nothing is heard from other processes: until it is, this one finds out by looking for itself"
