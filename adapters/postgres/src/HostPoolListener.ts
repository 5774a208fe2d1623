/**
 * Listens to the channel with a session of the host's pool. When listening ends, the session is closed and not returned
 * to the pool, because a returned session would continue to listen.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import * as Channel from "./Channel.ts"
import type * as HostPool from "./HostPool.ts"
import { leaseSession } from "./HostSessionLease.ts"
import { toSqlError } from "./ServerError.ts"

/** A session of the `pg` library, which emits an event for each notification. */
interface Notified extends HostPool.ApplicationPoolSession {
  readonly processID?: number | undefined
  readonly on: (event: string, hear: (said: unknown) => void) => unknown
}

const isNotified = (session: HostPool.ApplicationPoolSession): session is Notified =>
  "on" in session && Predicate.isFunction(session.on)

const payloadOf = (said: unknown): string =>
  Predicate.hasProperty(said, "payload") && Predicate.isString(said.payload) ? said.payload : ""

/** A pool with only one session has no free session for LISTEN. */
const isSingle = (pool: HostPool.HostPool): boolean =>
  Predicate.hasProperty(pool, "options") && Predicate.hasProperty(pool.options, "max") && pool.options.max === 1

/**
 * Runs LISTEN on a session of the pool. If the pool's sessions cannot deliver notifications, the service polls for
 * work.
 */
export const openListeningSession = (
  pool: HostPool.HostPool
): Effect.Effect<Channel.ListeningSession, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    if (!("connect" in pool) || isSingle(pool)) return yield* Effect.never
    const lease = yield* Scope.fork(yield* Effect.scope)
    const { lose, session } = yield* Scope.provide(leaseSession(pool), lease)
    if (!isNotified(session)) {
      yield* Scope.close(lease, Exit.void)
      return yield* Effect.never
    }
    lose()
    const messages = yield* Queue.unbounded<string, SqlError>()
    session.on("notification", (said) => Queue.offerUnsafe(messages, payloadOf(said)))
    const lost = (cause: unknown) => {
      Queue.failCauseUnsafe(messages, Cause.fail(toSqlError(cause ?? new Error("The session ended"), "listen")))
    }
    session.on("error", lost)
    session.on("end", lost)
    // The pool closes the listening session (`lose`), so an interruption of LISTEN need not wait for the server's
    // response.
    yield* Effect.tryPromise({
      try: () => Promise.resolve(session.query(`LISTEN ${Channel.channelName}`)),
      catch: (cause) => toSqlError(cause, "listen")
    })
    return { processId: session.processID ?? 0, take: Queue.take(messages) }
  })
