/**
 * Lends sessions of the driver's pool. While no session is free, organizations take turns, and each wait has a timeout.
 * The pool discards a session that the server has ended. When a write is refused as read-only, the pool discards all
 * sessions that were opened before the refusal. A session that is read-only when it opens is lent once and then
 * discarded. After a failover, the pool keeps no session of the former primary.
 *
 * The pool checks a session before use if the session was idle for some time, or if another session was lost meanwhile.
 * While Lambda freezes a process, connections can end without any notice to the process.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { DatabaseBusy } from "@partner-commentary/core/shared/DatabaseBusy"
import {
  awaitNextTurn,
  bypassFairShare,
  CurrentFairShare,
  type FairShare
} from "@partner-commentary/core/shared/FairShare"
import * as KeyedSemaphore from "@partner-commentary/core/shared/KeyedSemaphore"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { ConnectionError, isSqlError, SqlError } from "effect/sql/SqlError"
import { findSqlState, isSessionLossSqlState } from "./ServerError.ts"

export interface SessionPool {
  /** Lends a session until the scope closes. */
  readonly acquire: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  /** Lends a session that no other caller reuses. */
  readonly reserve: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  readonly borrow: <A, E, R>(
    use: (session: PgConnection.PgConnection) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError, R>
  /**
   * Marks the session for removal if the error of a statement shows that the session is unusable. If a write was
   * refused as read-only, the pool also removes all other open sessions.
   */
  readonly judge: (session: PgConnection.PgConnection, error: SqlError) => Effect.Effect<void>
  /** Returns the number of borrowed sessions plus the number of callers that wait for a session. */
  readonly inUse: () => number
}

/**
 * By how many milliseconds the use of one organization can exceed the use of the others. After long statements, an
 * organization must not wait until all others have used their sessions for as long.
 */
const maxLead = 200

/** Timeouts use real time even under a test clock, because the server uses real time. */
const clock = Clock.Clock.defaultValue()
const nowMillis = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
const inRealTime = Effect.provideService(Clock.Clock, clock)

export const make = Effect.fnUntraced(function* (
  options: PgPool.Config & { readonly maxConnections: number },
  acquireTimeout: Duration.Input,
  answered: <A>(asked: Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>
) {
  const pool = yield* inRealTime(PgPool.make(options))
  const size = options.maxConnections
  /** The number of callers that have a session, or may take a session without a permit. */
  let lent = 0
  /** The number of callers that wait for a permit or for the turn of their organization. */
  let queued = 0
  /** An increase of `generation` makes the pool discard all sessions that were opened before the increase. */
  let generation = 0
  /** The number of sessions that were lost during a statement. */
  let losses = 0
  const states = new WeakMap<PgConnection.PgConnection, SessionState>()

  const retire = (session: PgConnection.PgConnection) => {
    const state = states.get(session)
    if (state !== undefined) state.openedIn = retired
  }

  const discard = (session: PgConnection.PgConnection) => Effect.as(pool.invalidate(session), stale)

  /** Makes the pool discard all sessions of the same generation as this session. */
  const retireGeneration = (session: PgConnection.PgConnection) => {
    if (states.get(session)?.openedIn === generation) generation++
  }

  /**
   * Inspects a session before the session is lent for the first time. The pool may have opened the session long ago, so
   * a lost session is discarded, unless others were discarded before: a new session on a slow server needs patience.
   */
  const inspect = <A, E, R>(
    session: PgConnection.PgConnection,
    use: Effect.Effect<A, E, R>,
    discards: number
  ): Effect.Effect<A | Discarded, E | SqlError, R> => {
    states.set(session, { openedIn: generation, lentAt: clock.currentTimeMillisUnsafe(), losses })
    const asked = session.query(readsOnly, [], false)
    const read = discards < maxDiscards ? queryInTime(asked) : Effect.asSome(answered(asked))
    return Effect.flatMap(read, (result): Effect.Effect<A | Discarded, E, R> => {
      if (Option.isNone(result)) return Effect.as(discard(session), silent)
      if (result.value.rows[0]?.["reads_only"] === true) retire(session)
      return use
    })
  }

  /**
   * Lends sessions to organizations in turn. The number of concurrent requests limits the size of `waiting`. Work that
   * belongs to no organization, such as key look-ups and shared batches, gets the next free session without a permit.
   */
  const makePermits = (total: number, each: number, busy: string) => ({
    busy,
    ...KeyedSemaphore.make<string>({ each, total, waiting: Number.POSITIVE_INFINITY, maxLead })
  })
  const frequent = makePermits(size, size, allInUse(size))
  /**
   * Operations that are not frequent get half of the sessions, so that frequent operations need not wait behind long
   * statements. One organization leaves one session of this half to other organizations.
   */
  const half = Math.ceil(size / 2)
  const each = Math.max(1, half - 1)
  const other = makePermits(half, each, size === 1 ? allInUse(size) : halfInUse({ each, half, size }))
  const permitsOf = ({ isFrequent }: FairShare) => (isFrequent ? frequent : other)

  const tryTake = (share: FairShare): boolean => share.owner === "" || permitsOf(share).tryTake(share.owner)

  /**
   * Returns true if the caller can continue without a wait. If no wait is needed, the function counts the caller and
   * takes a permit of the caller's organization. A caller that need not wait runs without `inRealTime`, because each
   * replacement of the clock makes the fiber build a new cache.
   */
  const enterNow = (share: FairShare): boolean => {
    if (lent >= size || !tryTake(share)) return false
    lent++
    return true
  }

  /**
   * Counts the caller, and waits for a permit of the caller's organization. A caller that has waited also waits for its
   * organization's turn. Otherwise queued statements keep the event loop busy, and a loaded server accepts connections
   * slowly. After `enterNow` or `enter` succeeds, the caller must call `leave`.
   */
  const enter = (share: FairShare, restore: KeyedSemaphore.RestoreInterruptibility): Effect.Effect<void, SqlError> => {
    const count = Effect.sync(() => void lent++)
    if (tryTake(share)) return count
    const { busy, release, take } = permitsOf(share)
    queued++
    const turn = Effect.onInterrupt(restore(awaitNextTurn(share)), () => Effect.sync(() => release(share.owner, 0)))
    const taken = Effect.ensuring(
      Effect.tap(take(share.owner, acquireTimeout, restore), (isTaken) => (isTaken ? turn : Effect.void)),
      Effect.sync(() => void queued--)
    )
    return Effect.flatMap(taken, (isTaken) => (isTaken ? count : Effect.fail(noneFree(busy))))
  }

  /**
   * Returns an effect that releases the permit and records how long the organization held it. The wait for the permit
   * is not recorded, because other organizations cause this wait.
   */
  const leave = (share: FairShare): Effect.Effect<void> => {
    const from = nowMillis()
    return Effect.sync(() => {
      lent--
      if (share.owner !== "") permitsOf(share).release(share.owner, nowMillis() - from)
    })
  }

  const leaveWithScope = (share: FairShare) => {
    const left = leave(share)
    return Effect.addFinalizer(() => left)
  }

  /** Runs an effect with a session that is ready for use. If the session is unusable, discards it. */
  const withReady = <A, E, R>(
    session: PgConnection.PgConnection,
    use: Effect.Effect<A, E, R>,
    discards: number
  ): Effect.Effect<A | Discarded, E | SqlError, R> => {
    const state = states.get(session)
    if (state === undefined) return inspect(session, use, discards)
    if (state.openedIn < generation) return discard(session)
    const now = clock.currentTimeMillisUnsafe()
    const isTrusted = state.losses === losses && now - state.lentAt < maxUncheckedIdle
    state.lentAt = now
    state.losses = losses
    if (isTrusted) return use
    const asked = session.query("SELECT 1", [], false)
    return Effect.flatMap(queryInTime(asked), (result): Effect.Effect<A | Discarded, E, R> => {
      if (Option.isSome(result)) return use
      retireGeneration(session)
      return discard(session)
    })
  }

  const getReady = (discards: number): Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope> =>
    Effect.flatMap(pool.get, (session) =>
      Effect.flatMap(withReady(session, Effect.succeed(session), discards), (ready) =>
        isDiscarded(ready) ? getReady(discards + (ready === silent ? 1 : 0)) : Effect.succeed(ready)
      )
    )
  const readyNow = Effect.mapError(getReady(0), ofStranger)
  const waited = Effect.timeoutOrElse(readyNow, {
    duration: acquireTimeout,
    orElse: () => Effect.fail(noneFree(allInUse(size)))
  })
  // On the fair scheduler, returned permits and sessions would stay unused until the turn of an organization.
  const acquire: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope> = bypassFairShare(
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(CurrentFairShare, (share) =>
        enterNow(share)
          ? Effect.andThen(leaveWithScope(share), restore(readyNow))
          : inRealTime(
              Effect.flatMap(enter(share, restore), () => Effect.andThen(leaveWithScope(share), restore(waited)))
            )
      )
    )
  )

  /** Lends a session from the pool. If a session is stale, the function discards it and lends the next session. */
  const lend = <A, E, R>(
    use: (session: PgConnection.PgConnection) => Effect.Effect<A, E, R>,
    discards = 0
  ): Effect.Effect<A, E | SqlError, R> =>
    Effect.flatMap(
      pool.use((session) => withReady(session, use(session), discards)),
      (result) =>
        isDiscarded(result) ? lend(use, discards + (result === silent ? 1 : 0)) : Effect.succeed(result as A)
    )

  /**
   * Lends a session for one function call. The function uses no scope, because a scope would make each statement
   * slower.
   */
  const borrow = <A, E, R>(use: (session: PgConnection.PgConnection) => Effect.Effect<A, E, R>) =>
    bypassFairShare(
      Effect.withFiber(({ context }: { readonly context: Context.Context<never> }) =>
        Effect.uninterruptibleMask((restore): Effect.Effect<A, E | SqlError, R> => {
          const share = Context.get(context, CurrentFairShare)
          const ready = Effect.mapError(lend(use), (error) => (isSqlError(error) ? ofStranger(error) : error))
          if (enterNow(share)) return Effect.ensuring(restore(ready), leave(share))
          const used = Effect.suspend(() =>
            lent > size ? (Effect.scoped(Effect.flatMap(waited, use)) as typeof ready) : ready
          )
          return inRealTime(Effect.flatMap(enter(share, restore), () => Effect.ensuring(restore(used), leave(share))))
        })
      )
    )

  const pooled: SessionPool = {
    acquire,
    reserve: Effect.tap(acquire, (session) => Effect.addFinalizer(() => Effect.sync(() => retire(session)))),
    borrow,
    judge: (session, { reason }) =>
      Effect.sync(() => {
        const code = findSqlState(reason.cause)
        if (code === undefined) {
          // The driver itself discards a session whose connection was lost.
          if (reason._tag === "ConnectionError") losses++
          return
        }
        if (!(code === readOnlyTransaction || isSessionLossSqlState(code))) return
        if (code === readOnlyTransaction) retireGeneration(session)
        retire(session)
      }),
    inUse: () => lent + queued
  }
  return pooled
})

interface SessionState {
  /** The generation in which the session was opened, or `retired`. */
  openedIn: number
  lentAt: number
  /** The value of `losses` when the session was last lent. */
  losses: number
}

/** The result of an operation that got no session, because the session was stale and was discarded. */
const stale = Symbol("stale")

/** Like `stale`, for a session that did not answer before it was lent for the first time. */
const silent = Symbol("silent")

type Discarded = typeof stale | typeof silent

const isDiscarded = (result: unknown): result is Discarded => result === stale || result === silent

/** The number of milliseconds after which a session that was not lent is checked before use. */
const maxUncheckedIdle = 5000

/** The number of milliseconds in which a session must answer a check. */
const checkTimeout = 2000

/** The number of silent sessions that an operation discards before it waits longer for a new session. */
const maxDiscards = 3

/**
 * Runs the query of a check. Returns none if the query fails or takes too long. The check does not wait for the end of
 * an unanswered query, because the driver's cancellation takes seconds. The check is uninterruptible, so that the pool
 * never lends a busy session.
 */
const queryInTime = <A>(query: Effect.Effect<A, SqlError>): Effect.Effect<Option.Option<A>> =>
  Effect.uninterruptible(
    Effect.callback((resume) => {
      const timer = setTimeout(() => resume(Effect.succeedNone), checkTimeout)
      Effect.runFork(query).addObserver((exit) => {
        clearTimeout(timer)
        resume(Effect.succeed(Exit.getSuccess(exit)))
      })
    })
  )

/**
 * Marks a session that the pool discards instead of lending it again. The session is not discarded immediately, because
 * the pool would immediately open a replacement, which may also be read-only.
 */
const retired = -1

const readsOnly = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS reads_only"

const readOnlyTransaction = "25006"

const allInUse = (size: number) => `all ${size} are in use`

const halfInUse = ({ each, half, size }: { readonly each: number; readonly half: number; readonly size: number }) =>
  `except for submissions and status polls, organizations use at most ${half} of ${size}, and each at most ${each}`

const noneFree = (reason: string) => {
  const message = `No connection became free, ${reason}`
  return makeConnectionError(message, "acquire", new DatabaseBusy(message))
}

export const makeConnectionError = (message: string, operation: string, cause = new Error(message)) =>
  new SqlError({ reason: new ConnectionError({ cause, message, operation }) })

/** The driver's error messages for a server that does not speak the Postgres protocol. */
const unread = [
  "PgConnection: Failed to parse server response",
  "PgConnection: Failed to parse SSLRequest error response",
  "PgConnection: Invalid SSLRequest response"
]

const ofStranger = (error: SqlError): SqlError =>
  unread.includes(error.reason.message ?? "") && error.reason.operation === "connect"
    ? makeConnectionError("what answers there does not speak as Postgres does", "connect")
    : error
