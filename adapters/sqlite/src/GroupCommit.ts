/**
 * Implements group commit: transactions that wait for the connection at the same time share one BEGIN, one COMMIT and
 * one flush to the disk.
 *
 * The transactions of a group run one after another, each in the fiber of its caller. If a transaction fails or is
 * interrupted, only this transaction is rolled back. The first transaction of a group is rolled back with ROLLBACK,
 * which ends the group. Each later transaction of the group is rolled back to its own savepoint. Callers continue after
 * the shared COMMIT. If the COMMIT fails, all transactions of the group fail. A violated constraint that is checked at
 * COMMIT (`DEFERRABLE INITIALLY DEFERRED`) fails the whole group of transactions. While another process writes, BEGIN
 * is retried, and between the attempts, other statements can use the connection. Each caller has its own timeout for
 * the retries of BEGIN. This client ignores Effect's service `SqlClient.BeginTransaction`. `makeWithTransaction`
 * provides nested transactions, `afterCommit` and spans.
 */
// `setImmediate` is imported from Node, because tests may replace the global function.
import { setImmediate } from "node:timers"
import { bypassFairShare, CurrentFairShare } from "@partner-commentary/core/shared/FairShare"
import * as RoundRobinQueue from "@partner-commentary/core/shared/RoundRobinQueue"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { makeWithTransaction, type SqlClient, type TransactionConnection } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as BusyRetry from "./BusyRetry.ts"
import type { SqliteHandle } from "./SqliteConnection.ts"

/**
 * The maximum number of transactions in one group. Statements outside of transactions wait until the group has ended,
 * so without a limit they would wait too long.
 */
const maxTransactions = 64

/**
 * The time in nanoseconds after which a group starts no more transactions. The process does not read from sockets while
 * a group runs, so a longer group would delay requests.
 */
const maxAge = Duration.toNanosUnsafe(Duration.millis(8))

/** The maximum number of turns of the event loop for which a group waits before it begins. */
const maxTurns = 32

/** The time in nanoseconds below which a turn of the event loop can have done nothing. */
const quietTurnTime = Duration.toNanosUnsafe(Duration.micros(50n))

/** The real clock, because a test clock stands still while the event loop turns. */
const clock = Clock.Clock.defaultValue()

interface Group {
  readonly outcome: Deferred.Deferred<void, SqlError>
  /**
   * The error of a transaction that could not be rolled back. If the rollback of a transaction has failed, the group
   * must not be committed.
   */
  broken: SqlError | undefined
}

/**
 * The place of one transaction in a group of transactions that share a commit. A `Turn` is also the connection on which
 * the transaction runs its statements.
 */
interface Turn extends Connection {
  readonly group: Group
  /** The first transaction of a group runs without a savepoint. */
  readonly isFirst: boolean
  readonly ended: Deferred.Deferred<void>
}

interface Waiter {
  readonly given: Deferred.Deferred<Turn, SqlError>
  readonly ended: Deferred.Deferred<void>
  readonly share: string
  /** The time in milliseconds for which the caller has waited for another process. */
  waited: number
}

export const makeGroupedWithTransaction = (options: {
  readonly database: SqliteHandle
  readonly begin: string
  readonly spanAttributes: ReadonlyArray<readonly [string, unknown]>
  readonly transactionService: SqlClient["transactionService"]
  /** Acquires the connection until the scope closes. */
  readonly lease: Effect.Effect<Connection, SqlError, Scope.Scope>
  /**
   * Makes a connection that runs statements directly while `isOpen` returns true. After the end of the transaction,
   * statements wait until they can run outside of a transaction.
   */
  readonly connect: (isOpen: () => boolean) => Connection
  readonly onCommitFailure: (connection: Connection) => Effect.Effect<void, SqlError>
  /**
   * True if each group waits until the event loop has nothing else to do. False for tests in memory, which expect the
   * same number of turns in each run.
   */
  readonly awaitsQuietTurn: boolean
}): SqlClient["withTransaction"] => {
  const { control, isTransaction, timeout } = options.database
  // The context key of the client's transactions. The context stores the `Turn` of the current transaction as the
  // transaction's connection.
  const CurrentTurn = Context.Service<TransactionConnection, readonly [Turn, number]>(options.transactionService.key)
  const controlInTransaction = (sql: string) => Effect.suspend(() => (isTransaction() ? control(sql) : Effect.void))
  /**
   * The callers that wait for a transaction. Organizations take turns, so that long transactions of one organization do
   * not delay all others.
   */
  const waiting = RoundRobinQueue.make<Waiter>()
  let isLed = false

  const takeAll = (): ReadonlyArray<Waiter> =>
    Array.from({ length: waiting.size() }, () => waiting.shift()).filter((waiter) => waiter !== undefined)

  /** Fails the callers whose timeout has passed, and lets all other callers wait. */
  const stay = (error: SqlError) =>
    Effect.suspend(() => {
      const staying: Array<Waiter> = []
      for (const waiter of takeAll()) {
        if (Deferred.isDoneUnsafe(waiter.ended)) continue
        if (waiter.waited < timeout) staying.push(waiter)
        else Deferred.doneUnsafe(waiter.given, Exit.fail(error))
      }
      if (staying.length === 0) return Effect.void
      const delay = BusyRetry.calculateBusyDelayMillis(Math.max(...staying.map(({ waited }) => waited)), timeout)
      for (const waiter of staying) {
        waiter.waited += delay
        waiting.push(waiter.share, waiter)
      }
      return BusyRetry.pauseInRealTime(delay)
    })

  /** True if the last group ended because it exceeded `maxAge`. */
  let hasRunLong = false

  const runGroup = Effect.gen(function* () {
    yield* options.awaitsQuietTurn ? quietTurn : nextMacrotask
    const connection = yield* options.lease
    yield* control(options.begin)
    const group: Group = { outcome: Deferred.makeUnsafe(), broken: undefined }
    const began = yield* Clock.monotonicTimeNanos
    for (let started = 0; started < maxTransactions && isTransaction(); started++) {
      hasRunLong = (yield* Clock.monotonicTimeNanos) - began > maxAge
      if (hasRunLong) break
      const waiter = waiting.shift()
      if (waiter === undefined) break
      const { ended, given } = waiter
      const turn = Object.assign(
        options.connect(() => !Deferred.isDoneUnsafe(ended)),
        { group, ended, isFirst: started === 0 }
      )
      Deferred.doneUnsafe(given, Exit.succeed(turn))
      yield* Deferred.await(ended)
    }
    // COMMIT is retried because, without a write-ahead log, a reader in another process can make a COMMIT fail as busy.
    const commit = Effect.suspend(() =>
      group.broken === undefined ? BusyRetry.retryWhileBusy(control("COMMIT"), timeout) : Effect.fail(group.broken)
    )
    Deferred.doneUnsafe(
      group.outcome,
      yield* Effect.exit(Effect.tapCause(commit, () => Effect.ignore(options.onCommitFailure(connection))))
    )
  }).pipe(
    Effect.scoped,
    Effect.catchIf(BusyRetry.isDatabaseBusy, stay),
    Effect.catchCause((cause) =>
      Effect.sync(() => {
        for (const waiter of takeAll()) Deferred.doneUnsafe(waiter.given, Exit.failCause(cause))
      })
    )
  )

  const pause = Effect.suspend(() => (hasRunLong && waiting.size() > 0 ? severalMacrotasks : Effect.void))

  // Each group runs in a separate fiber, so that the interruption of one caller does not affect other callers.
  const lead = bypassFairShare(
    Effect.forkDetach(
      Effect.whileLoop({
        while: () => {
          isLed = waiting.size() > 0
          return isLed
        },
        body: () => Effect.andThen(runGroup, pause),
        step: () => {}
      }),
      { startImmediately: true, uninterruptible: true }
    )
  )

  const end = (waiter: Pick<Waiter, "ended">) => Effect.sync(() => Deferred.doneUnsafe(waiter.ended, Exit.void))

  const acquireTurn = (restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
    Effect.withFiber(({ context }) => {
      const share = Context.get(context, CurrentFairShare).owner
      const waiter: Waiter = { given: Deferred.makeUnsafe(), ended: Deferred.makeUnsafe(), share, waited: 0 }
      waiting.push(share, waiter)
      // The finalizer ends an interrupted caller's turn, so that the group of transactions skips the caller.
      const turn = Effect.andThen(
        Effect.addFinalizer(() => end(waiter)),
        restore(Deferred.await(waiter.given))
      )
      if (isLed) return turn
      isLed = true
      return Effect.andThen(lead, turn)
    })

  /**
   * Rolls back one transaction. After the ROLLBACK of the first transaction, the COMMIT of the group fails. No
   * transaction is lost, because no other transaction of the group has run yet.
   */
  const undo = ({ isFirst }: Turn) =>
    isFirst
      ? controlInTransaction("ROLLBACK")
      : Effect.andThen(
          controlInTransaction("ROLLBACK TO SAVEPOINT effect_sql_0"),
          controlInTransaction("RELEASE SAVEPOINT effect_sql_0")
        )

  const rollBack = (turn: Turn) =>
    undo(turn).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          turn.group.broken = error
        })
      )
    )

  const transaction = makeWithTransaction({
    transactionService: CurrentTurn,
    spanAttributes: options.spanAttributes,
    acquireConnection: acquireTurn,
    begin: ({ isFirst }) => (isFirst ? Effect.void : control("SAVEPOINT effect_sql_0")),
    commit: (turn) =>
      Effect.andThen(
        Effect.ensuring(turn.isFirst ? Effect.void : control("RELEASE SAVEPOINT effect_sql_0"), end(turn)),
        Deferred.await(turn.group.outcome)
      ),
    rollback: (turn) =>
      Effect.andThen(Effect.ensuring(rollBack(turn), end(turn)), Effect.exit(Deferred.await(turn.group.outcome))),
    savepoint: (_, id) => control(`SAVEPOINT effect_sql_${id}`),
    releaseSavepoint: (_, id) => controlInTransaction(`RELEASE SAVEPOINT effect_sql_${id}`),
    rollbackSavepoint: (_, id) => controlInTransaction(`ROLLBACK TO SAVEPOINT effect_sql_${id}`)
  })

  return <R, E, A>(effect: Effect.Effect<A, E, R>) =>
    Effect.withFiber<A, E | SqlError, R>((fiber) => {
      const outer = Context.getOrUndefined(fiber.context, CurrentTurn)
      if (outer === undefined || !Deferred.isDoneUnsafe(outer[0].ended)) return transaction(effect)
      // If a fiber that was forked within a transaction continues after the end of that transaction, the fiber starts a
      // new transaction.
      return Effect.updateContext(
        transaction(effect),
        (context) => Context.omit(CurrentTurn)(context) as typeof context
      )
    })
}

/**
 * Waits for one turn of the event loop, so that Node reads requests that have arrived, and their transactions can join
 * the group.
 */
const nextMacrotask = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * Waits for several turns of the event loop. Without the wait, new connections would be delayed by long groups of
 * transactions, because Node accepts only one connection in each turn.
 */
const severalMacrotasks = Effect.repeat(nextMacrotask, { times: 7 })

/**
 * Waits for a turn of the event loop in which nothing happens, so that Node accepts waiting connections and reads
 * requests that have arrived. Without the wait, short groups that follow one another would delay new connections.
 */
const quietTurn = Effect.callback<void>((resume) => {
  let left = maxTurns
  let began = clock.monotonicTimeNanosUnsafe()
  const turn = () => {
    const now = clock.monotonicTimeNanosUnsafe()
    left -= 1
    if (left === 0 || now - began < quietTurnTime) return resume(Effect.void)
    began = now
    setImmediate(turn)
  }
  setImmediate(turn)
})
