/** Why the database cannot be used, told to whoever set DATABASE_URL. */

import { type Database, told } from "@partner-commentary/settings/DatabaseSettings"
import { SettingRefused } from "@partner-commentary/settings/Variable"
import * as Predicate from "effect/Predicate"
import { isSqlError } from "effect/sql/SqlError"

/** Names the file or the server, and the variable that chose it or could have. */
export const of = (database: Database, error: unknown): SettingRefused =>
  error instanceof SettingRefused
    ? error
    : new SettingRefused({
        name: "DATABASE_URL",
        reason: `${database.isDefault ? "is unset, which means" : "points at"} ${told(database)}: ${reason(error)}`
      })

/** Without a full stop. */
export const reason = (error: unknown): string => {
  // A name with several addresses, none of which answers.
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  const said = error instanceof Error ? error.message : String(error)
  const cause = isSqlError(error) ? error.reason.cause : Predicate.hasProperty(error, "cause") ? error.cause : undefined
  const words = cause === undefined ? said : isSqlError(error) ? reason(cause) : `${said}: ${reason(cause)}`
  return words.replace(/\.$/, "")
}
