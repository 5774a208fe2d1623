/**
 * Prepared statements whose plan a change of the schema has made stale. The driver prepares such a one anew by itself, but not within
 * a transaction, which the failure has undone: there it becomes a conflict, after which the change is made anew. Then nothing
 * that any connection had prepared before is used again, or a change of many statements would fail once for each.
 */
import * as Effect from "effect/Effect"
import { SerializationError, SqlError } from "effect/sql/SqlError"

export interface StalePlans {
  /** Sends the statement by a text that was never prepared before a plan was found stale. */
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
          // Who fails at the same time was prepared at the same time.
          if (renewals === before) suffix = ` -- ${++renewals}`
          const { cause, message, operation } = error.reason
          return Effect.fail(new SqlError({ reason: new SerializationError({ cause, message, operation }) }))
        })
      })
  }
}

/** `feature_not_supported`: "cached plan must not change result type". `invalid_sql_statement_name`: it is not there any more. */
const codes = ["0A000", "26000"]

const isStale = ({ reason }: SqlError): boolean =>
  codes.some((code) => code === (reason.cause as { readonly code?: unknown } | null)?.code)
