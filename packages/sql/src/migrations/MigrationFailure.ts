/** Adds the name of the table and the message of the database to the failure of a migration. */
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { MigrationFailed, TableNameConflict } from "../database/SchemaErrors.ts"

/** Matches the first table that a statement names. */
const named = /\b(?:TABLE|INTO|UPDATE|FROM|ON)\s+(?:IF (?:NOT )?EXISTS\s+)?"?(\w+)/

const taken = /\b(?:relation|table|index) "?(\w+)"? already exists/

const failureOf = (
  migration: string,
  statement: string,
  error: SqlError
): SqlError | MigrationFailed | TableNameConflict => {
  // The migrator must get this error unchanged, because it recognizes a locked table by the error's reason.
  if (error.reason._tag === "LockTimeoutError") return error
  const reason = formatErrorWithCauses(error)
  const table = taken.exec(reason)?.[1]
  if (table !== undefined) return new TableNameConflict({ table })
  return new MigrationFailed({ migration, table: tableOf(error) ?? named.exec(statement)?.[1] ?? "", reason })
}

/** Returns the name of the table that caused an SQL error. Postgres reports the table only for some errors. */
const tableOf = ({ reason: { cause } }: SqlError): string | undefined =>
  Predicate.hasProperty(cause, "table") && Predicate.isString(cause.table) ? cause.table : undefined

/** Runs a migration in its transaction. If the migration fails, the error names the table and the migration. */
export const runWithExplainedFailure = (
  name: string,
  migration: Effect.Effect<unknown, SqlError, SqlClient.SqlClient>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const open = yield* Effect.serviceOption(sql.transactionService)
    if (Option.isNone(open)) return yield* migration
    const [connection, depth] = open.value
    let statement = ""
    const execute: Connection["execute"] = (text, params, transform) => {
      statement = text
      return connection.execute(text, params, transform)
    }
    return yield* Effect.provideService(migration, sql.transactionService, [{ ...connection, execute }, depth]).pipe(
      Effect.mapError((error) => failureOf(name, statement, error))
    )
  }).pipe(Effect.asVoid)
