/**
 * Group commit: transactions that wait for the connection at the same time share one BEGIN, one COMMIT and one flush to
 * the disk.
 *
 * Each body runs in its caller's fiber, one after another, and a failed or interrupted body rolls back alone: the
 * first by ROLLBACK, which ends the group, and the others to their savepoints. Callers continue after the shared
 * COMMIT. If the COMMIT fails, every successful body fails with its error. So a constraint that is checked at COMMIT
 * (`DEFERRABLE INITIALLY DEFERRED`) fails its whole group. While another process writes, the group waits for its
 * BEGIN without holding the connection, each caller until its own timeout. Effect's
 * `SqlClient.BeginTransaction` has no effect on this client. `makeWithTransaction` provides nesting, `afterCommit` and
 * spans.
 */
// `setImmediate` is imported, because tests may replace the global one.
import { setImmediate } from "node:timers"
import { FairShare, outsideTurns } from "@partner-commentary/core/shared/FairShare"
import * as TurnQueue from "@partner-commentary/core/shared/TurnQueue"
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
 * The bodies of one group. Plain statements, and the first caller of the next group, wait until all bodies of this
 * group have ended.
 */
const maxBodies = 64

/** A group accepts no further bodies after this time, because the process cannot read sockets while a group runs. */
const maxAge = Duration.toNanosUnsafe(Duration.millis(8))

interface Group {
  readonly outcome: Deferred.Deferred<void, SqlError>
  /** True if a savepoint could not be rolled back, so that the group must not be committed. */
  broken: SqlError | undefined
}

/** A caller in a group. The turn contains the connection for the statements of the caller's body. */
interface Turn extends Connection {
  readonly group: Group
  /** The first body of a group needs no savepoint. */
  readonly isFirst: boolean
  readonly ended: Deferred.Deferred<void>
}

interface Waiter {
  readonly given: Deferred.Deferred<Turn, SqlError>
  readonly ended: Deferred.Deferred<void>
  readonly share: string
  /** The milliseconds that the caller has waited for another process. */
  waited: number
}

export const make = (options: {
  readonly database: SqliteHandle
  readonly begin: string
  readonly spanAttributes: ReadonlyArray<readonly [string, unknown]>
  readonly transactionService: SqlClient["transactionService"]
  /** Acquires the connection until the scope closes. */
  readonly lease: Effect.Effect<Connection, SqlError, Scope.Scope>
  /** A connection that runs statements directly while `isOpen` returns true, and outside the transaction afterwards. */
  readonly connect: (isOpen: () => boolean) => Connection
  readonly onCommitFailure: (connection: Connection) => Effect.Effect<void, SqlError>
}): SqlClient["withTransaction"] => {
  const { control, isTransaction, timeout } = options.database
  // The key of the client's transactions in the context. Its connection is the caller's turn in a group.
  const CurrentTurn = Context.Service<TransactionConnection, readonly [Turn, number]>(options.transactionService.key)
  const controlInTransaction = (sql: string) => Effect.suspend(() => (isTransaction() ? control(sql) : Effect.void))
  /** Organizations take turns, because the transactions of one organization can be long. */
  const waiting = TurnQueue.make<Waiter>()
  let isLed = false

  const takeAll = (): ReadonlyArray<Waiter> =>
    Array.from({ length: waiting.size() }, () => waiting.shift()).filter((waiter) => waiter !== undefined)

  /** Fails the callers whose timeout has passed. The other callers keep waiting. */
  const stay = (error: SqlError) =>
    Effect.suspend(() => {
      const staying: Array<Waiter> = []
      for (const waiter of takeAll()) {
        if (Deferred.isDoneUnsafe(waiter.ended)) continue
        if (waiter.waited < timeout) staying.push(waiter)
        else Deferred.doneUnsafe(waiter.given, Exit.fail(error))
      }
      if (staying.length === 0) return Effect.void
      const delay = BusyRetry.nextBusyDelay(Math.max(...staying.map(({ waited }) => waited)), timeout)
      for (const waiter of staying) {
        waiter.waited += delay
        waiting.push(waiter.share, waiter)
      }
      return BusyRetry.pauseInRealTime(delay)
    })

  /** True if the last group ended because it ran too long. */
  let hasRunLong = false

  const runGroup = Effect.gen(function* () {
    const connection = yield* options.lease
    yield* nextMacrotask
    yield* control(options.begin)
    const group: Group = { outcome: Deferred.makeUnsafe(), broken: undefined }
    const began = yield* Clock.monotonicTimeNanos
    for (let bodies = 0; bodies < maxBodies && isTransaction(); bodies++) {
      hasRunLong = (yield* Clock.monotonicTimeNanos) - began > maxAge
      if (hasRunLong) break
      const waiter = waiting.shift()
      if (waiter === undefined) break
      const { ended, given } = waiter
      const turn = Object.assign(
        options.connect(() => !Deferred.isDoneUnsafe(ended)),
        { group, ended, isFirst: bodies === 0 }
      )
      Deferred.doneUnsafe(given, Exit.succeed(turn))
      yield* Deferred.await(ended)
    }
    // Without a write-ahead log, a reader can delay a COMMIT.
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

  // The group runs in a separate fiber, so that interrupting one caller does not affect the others.
  const lead = outsideTurns(
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
      const share = Context.get(context, FairShare)
      const waiter: Waiter = { given: Deferred.makeUnsafe(), ended: Deferred.makeUnsafe(), share, waited: 0 }
      waiting.push(share, waiter)
      // An interrupted caller leaves the queue.
      const turn = Effect.andThen(
        Effect.addFinalizer(() => end(waiter)),
        restore(Deferred.await(waiter.given))
      )
      if (isLed) return turn
      isLed = true
      return Effect.andThen(lead, turn)
    })

  /** After the ROLLBACK the group's COMMIT fails, but no other body has run in the group. */
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
      // A fiber that outlives its transaction starts a new transaction.
      return Effect.updateContext(
        transaction(effect),
        (context) => Context.omit(CurrentTurn)(context) as typeof context
      )
    })
}

/** Lets Node read requests that have arrived, so that they can join the group. */
const nextMacrotask = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * Node accepts one new connection in each turn of the event loop, so several long groups in a row would delay new
 * connections.
 */
const severalMacrotasks = Effect.repeat(nextMacrotask, { times: 7 })
