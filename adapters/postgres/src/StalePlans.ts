/**
 * Handles prepared statements that a schema change has made stale. The driver prepares such a statement again, except
 * within a transaction, because that transaction has already failed. In a transaction, the error becomes a conflict,
 * and the transaction is retried. From then on, all statements are prepared again. Otherwise a transaction with many
 * statements would fail once for each of them.
 */
import * as Effect from "effect/Effect"
import { SerializationError, SqlError } from "effect/sql/SqlError"

export interface StalePlans {
  /** Runs the statement with a text that was not prepared before the latest stale plan. */
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
          // Statements that fail at the same time were prepared with the same text.
          if (renewals === before) suffix = ` -- ${++renewals}`
          const { cause, message, operation } = error.reason
          return Effect.fail(new SqlError({ reason: new SerializationError({ cause, message, operation }) }))
        })
      })
  }
}

/**
 * `feature_not_supported`: "cached plan must not change result type". `invalid_sql_statement_name`: the prepared
 * statement no longer exists.
 */
const codes = ["0A000", "26000"]

const isStale = ({ reason }: SqlError): boolean =>
  codes.some((code) => code === (reason.cause as { readonly code?: unknown } | null)?.code)
