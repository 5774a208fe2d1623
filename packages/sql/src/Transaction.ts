/** Whole changes on a database: what was lost to a conflict is made anew, a lost database is a defect. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

const retries = 5

/** All of the change or nothing. A deadlock or a serialization failure has undone everything, so the change starts over. */
export const transact = <A, E>(
  sql: SqlClient,
  change: Effect.Effect<A, E>,
  left = retries
): Effect.Effect<A, Exclude<E, SqlError>> =>
  Effect.catch(sql.withTransaction(change), (error) => {
    if (!isSqlError(error)) return Effect.fail(error as Exclude<E, SqlError>)
    return left > 0 && isConflict(error) ? transact(sql, change, left - 1) : Effect.die(error)
  })

const isConflict = (error: SqlError): boolean =>
  error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError"
