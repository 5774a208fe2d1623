/**
 * Handles prepared statements that a schema change has made stale. The driver prepares a stale statement again, except
 * within a transaction, which has already failed. The failed transaction is reported as a conflict and then retried.
 * From then on, each statement has a new text and is prepared again. Otherwise a transaction with many statements would
 * fail once for each statement.
 */
import * as Effect from "effect/Effect"
import { SerializationError, SqlError } from "effect/sql/SqlError"

export interface StalePlans {
  /** Runs a statement with a text that no connection has prepared before the latest stale plan. */
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
          // Statements that fail at the same time had the same suffix, so the suffix changes only once for all of these
          // statements.
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
