/** Maps the result codes of SQLite and the SQLSTATE codes of Postgres to the database faults of the core. */
import { type DatabaseFault, DatabaseUnavailable } from "@partner-commentary/core/operations/DatabaseHealth"
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/**
 * An effect that fails if the adapter knows of a fault without running a statement: a missing file, or corruption that
 * an earlier statement found. Each database adapter provides the fault check together with its SqlClient.
 */
export const KnownDatabaseFaultCheck = Context.Reference<Effect.Effect<void, DatabaseUnavailable>>(
  "@partner-commentary/reference/KnownDatabaseFaultCheck",
  { defaultValue: () => Effect.void }
)

/** SQLite's primary result codes. */
const sqlite: Readonly<Record<number, DatabaseFault>> = {
  5: "locked",
  8: "read_only",
  10: "disk",
  11: "corrupt",
  13: "full",
  14: "disk",
  26: "corrupt"
}

const postgres: ReadonlyArray<readonly [RegExp, DatabaseFault]> = [
  [/^25006$/, "read_only"],
  [/^53100$/, "full"],
  [/^58030$/, "disk"],
  [/^XX00[12]$/, "corrupt"],
  [/^55P03$|^57014$/, "locked"],
  [/^42501$/, "forbidden"],
  [/^(08|57P|28|3D)/, "unreachable"]
]

const faultOf = (error: unknown): DatabaseFault => {
  if (!isSqlError(error)) return "refused"
  const { _tag, cause } = error.reason
  const code = codeOf(cause)
  const found =
    typeof code === "number" ? sqlite[code & 0xff] : postgres.find(([pattern]) => pattern.test(String(code)))?.[1]
  return found ?? (_tag === "ConnectionError" ? "unreachable" : "refused")
}

/** `node:sqlite` reports errors with a number, and Postgres reports errors with a string. */
const codeOf = (cause: unknown): unknown => {
  if (typeof cause !== "object" || cause === null) return undefined
  return "errcode" in cause ? cause.errcode : "code" in cause ? cause.code : undefined
}

export const toDatabaseUnavailable = (error: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable({ fault: faultOf(error), detail: formatErrorWithCauses(error) })

/**
 * Returns whether one call of a batch on Postgres may have caused the error. One call alone can cause an error about
 * values, constraints or conflicts. Errors of the server concern the whole batch, and after a lost connection the
 * result is unknown.
 */
export const mayBeOfOneCall = ({ reason }: SqlError): boolean => {
  const code = String(codeOf(reason.cause))
  return sqlState.test(code) && !ofTheServer.test(code)
}

const sqlState = /^[0-9FHP][0-9A-Z]{4}$/

/**
 * Matches SQLSTATE codes of server errors: connections, credentials, SQL statements, resources, operator interventions,
 * system errors, internal errors and lock timeouts.
 */
const ofTheServer = /^(08|28|42|53|57|58|XX|55P03)/

/**
 * The time for which corruption is reported after the last error, in milliseconds. Later statements may succeed because
 * they do not read the corrupt page.
 */
const corruptionKept = 300_000

export interface CorruptionMonitor {
  /**
   * Remembers the error if it reports corruption. The monitor remembers the error, because later statements may not
   * read the corrupt page.
   */
  readonly saw: (error: SqlError) => void
  readonly check: Effect.Effect<void, DatabaseUnavailable>
}

/**
 * Reports corruption that a statement of this process has found. Corruption is reported until five minutes after the
 * first check that follows the last error.
 */
export const makeCorruptionMonitor = (): CorruptionMonitor => {
  let met: { readonly error: DatabaseUnavailable; checkedAt?: number } | undefined
  return {
    saw: (error) => {
      if (faultOf(error) === "corrupt") met = { error: toDatabaseUnavailable(error) }
    },
    check: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (met === undefined) return Effect.void
      met.checkedAt ??= now
      if (Math.abs(now - met.checkedAt) < corruptionKept) return Effect.fail(met.error)
      met = undefined
      return Effect.void
    })
  }
}
