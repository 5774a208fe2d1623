/**
 * Handles prepared statements that a schema change has made stale. Outside of a transaction, the driver itself prepares
 * a stale statement again. Within a transaction, the error of a stale statement aborts the transaction. This module
 * reports the error of a stale statement as a conflict, so that the transaction is retried. The module also adds a
 * suffix to the text of all later statements, so that every statement is prepared again. Without the suffix, a
 * transaction with many statements would fail once for each statement.
 */
import * as Effect from "effect/Effect"
import { SerializationError, SqlError } from "effect/sql/SqlError"

export interface StalePlans {
  /**
   * Adds the current suffix to the text of a statement, and runs the statement. The suffix changes when a plan is
   * stale, so that older prepared statements are not reused.
   */
  readonly renewing: <A>(sql: string, send: (text: string) => Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>
}

export const make = (): StalePlans => {
  let renewals = 0
  let suffix = ""
  return {
    renewing: (sql, send) =>
      Effect.suspend(() => {
        const before = renewals
        return Effect.catchIf(send(sql + suffix), isStale, (error) => {
          // If several statements with the same suffix fail at the same time, the suffix changes only once.
          if (renewals === before) suffix = ` -- ${++renewals}`
          const { cause, message, operation } = error.reason
          return Effect.fail(new SqlError({ reason: new SerializationError({ cause, message, operation }) }))
        })
      })
  }
}

/**
 * The SQLSTATEs of stale plans. `feature_not_supported` means "cached plan must not change result type". With
 * `invalid_sql_statement_name`, the prepared statement no longer exists.
 */
const codes = ["0A000", "26000"]

const isStale = ({ reason }: SqlError): boolean =>
  codes.some((code) => code === (reason.cause as { readonly code?: unknown } | null)?.code)
