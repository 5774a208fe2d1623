/** Borrows sessions from the host's pool, and ends the sessions that have lost their connection. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import * as HostPool from "./HostPool.ts"
import { toSqlError } from "./ServerError.ts"

export interface HostSessionLease<Session extends HostPool.ApplicationPoolSession = HostPool.ApplicationPoolSession> {
  readonly session: Session
  /** Marks the session as lost, so that the pool ends the session when the session is released. */
  readonly lose: () => void
}

/**
 * Borrows a session until the scope closes. The wait for a session can be interrupted. A session that the pool provides
 * after the interruption goes back to the pool immediately.
 */
export const leaseSession = (pool: HostPool.HostPool): Effect.Effect<HostSessionLease, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof lent>, SqlError>((resume) => {
        let isWanted = true
        HostPool.lease(pool).then(
          (session) => (isWanted ? resume(Effect.succeed(lent(session))) : session.release()),
          (cause) => resume(Effect.fail(toSqlError(cause, "connect")))
        )
        return Effect.sync(() => {
          isWanted = false
        })
      }),
      ({ release }) => Effect.sync(release),
      { interruptible: true }
    ),
    ({ lose, session }) => ({ lose, session })
  )

/**
 * While a session is borrowed, `pg` does not handle the session's `error` events. An unhandled `error` event would end
 * the process.
 */
const lent = (session: HostPool.ApplicationPoolSession) => {
  let isLost = false
  const lose = () => {
    isLost = true
  }
  const emitter = isEmitter(session) ? session : undefined
  emitter?.on("error", lose)
  const release = () => {
    emitter?.removeListener("error", lose)
    session.release(isLost)
  }
  return { session, lose, release }
}

interface Emitter {
  readonly on: (event: "error", listener: () => void) => unknown
  readonly removeListener: (event: "error", listener: () => void) => unknown
}

const isEmitter = (session: HostPool.ApplicationPoolSession): session is HostPool.ApplicationPoolSession & Emitter =>
  "on" in session && "removeListener" in session
