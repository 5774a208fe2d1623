/** Runs transactions. A transaction with a conflict is retried. A lost database connection becomes a defect. */
import { bypassFairShare } from "@partner-commentary/core/shared/FairShare"
import { DeferUntilCommit, Transaction } from "@partner-commentary/core/shared/Transaction"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

const retries = 5

/**
 * Commits all writes of the change, or none. A deadlock or a serialization failure rolls everything back, and the
 * outermost transaction then starts again.
 */
export const transact = <A, E, R = never>(
  sql: SqlClient.SqlClient,
  change: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError>, R> =>
  Effect.withFiber((fiber) =>
    isInTransaction(sql, fiber) ? attempt(sql, change, 0) : bypassFairShare(attempt(sql, change, retries))
  )

/**
 * Runs one write statement. On SQLite the statement shares a commit with other changes, because each commit blocks the
 * process until the disk has finished. On Postgres the statement needs no transaction, because a transaction would cost
 * two more round trips.
 */
export const runWithSharedCommit = <A, E>(sql: SqlClient.SqlClient, write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  sql.onDialectOrElse({
    pg: () => write,
    orElse: () =>
      Effect.withFiber((fiber) => (isInTransaction(sql, fiber) ? write : (transact(sql, write) as Effect.Effect<A, E>)))
  })

/** Returns whether the fiber has an open transaction. */
export const isInTransaction = (sql: SqlClient.SqlClient, { context }: Fiber.Fiber<unknown, unknown>): boolean =>
  Context.getOrUndefined(context, sql.transactionService) !== undefined

const attempt = <A, E, R>(
  sql: SqlClient.SqlClient,
  change: Effect.Effect<A, E, R>,
  left: number
): Effect.Effect<A, Exclude<E, SqlError>, R> =>
  Effect.catchCause(sql.withTransaction(change), (cause) => {
    const error = sqlErrorIn(cause)
    if (error === undefined) return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError>>)
    return left > 0 && isConflict(error) ? attempt(sql, change, left - 1) : Effect.die(error)
  })

/**
 * Returns the SQL error of a cause. The SQL error can be a defect, because a nested transaction turns errors into
 * defects.
 */
const sqlErrorIn = (cause: Cause.Cause<unknown>): SqlError | undefined => {
  for (const reason of cause.reasons) {
    const error = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    if (isSqlError(error)) return error
  }
  return undefined
}

const isConflict = (error: SqlError): boolean =>
  error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError"

export const layer = Layer.effect(
  Transaction,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Transaction.of({
      run: <A, E, R>(change: Effect.Effect<A, E, R>) =>
        transact(sql, Effect.provideService(change, DeferUntilCommit, sql.afterCommit)) as Effect.Effect<A, E, R>
    })
  )
)
