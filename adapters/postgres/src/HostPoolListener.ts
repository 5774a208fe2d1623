/**
 * Listens to the channel over a session of a host's pool. Afterwards the session is ended, because a session that
 * returns to the pool would continue to listen.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import * as Channel from "./Channel.ts"
import type * as HostPool from "./HostPool.ts"
import { toSqlError } from "./ServerError.ts"

/** A session that `pg` created. */
interface Notified extends HostPool.Session {
  readonly processID?: number | undefined
  readonly on: (event: string, hear: (said: unknown) => void) => unknown
}

const isNotified = (session: HostPool.Session): session is Notified =>
  "on" in session && Predicate.isFunction(session.on)

const payloadOf = (said: unknown): string =>
  Predicate.hasProperty(said, "payload") && Predicate.isString(said.payload) ? said.payload : ""

/** A pool with only one session has no free session for listening. */
const isSingle = (pool: HostPool.HostPool): boolean =>
  Predicate.hasProperty(pool, "options") && Predicate.hasProperty(pool.options, "max") && pool.options.max === 1

/** If the sessions of a pool report no notifications, the service does not listen. */
export const subscribe = (pool: HostPool.HostPool): Effect.Effect<Channel.Listener, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    if (!("connect" in pool) || isSingle(pool)) return yield* Effect.never
    const session = yield* asked("connect", () => pool.connect())
    if (!isNotified(session)) {
      session.release()
      return yield* Effect.never
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => session.release(true)))
    const messages = yield* Queue.unbounded<string, SqlError>()
    session.on("notification", (said) => Queue.offerUnsafe(messages, payloadOf(said)))
    const lost = (cause: unknown) => {
      Queue.failCauseUnsafe(messages, Cause.fail(toSqlError(cause ?? new Error("The session ended"), "listen")))
    }
    session.on("error", lost)
    session.on("end", lost)
    yield* asked("listen", () => session.query(`LISTEN ${Channel.channelName}`))
    return { processId: session.processID ?? 0, take: Queue.take(messages) }
  })

const asked = <A>(operation: string, ask: () => PromiseLike<A>) =>
  Effect.uninterruptible(
    Effect.tryPromise({ try: () => Promise.resolve(ask()), catch: (cause) => toSqlError(cause, operation) })
  )
