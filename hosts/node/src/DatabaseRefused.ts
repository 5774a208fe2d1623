/** Why the database cannot be used, told to whoever set DATABASE_URL. */

import type { Database } from "@partner-commentary/settings/Settings"
import { SettingRefused } from "@partner-commentary/settings/Variable"
import * as Predicate from "effect/Predicate"
import { isSqlError } from "effect/sql/SqlError"

/** Names the file, and the variable that chose it or could have. */
export const of = ({ filename, isDefault }: Database, error: unknown): SettingRefused =>
  error instanceof SettingRefused
    ? error
    : new SettingRefused({
        name: "DATABASE_URL",
        reason: `${isDefault ? "is unset, which means" : "points at"} ${filename}: ${reason(error)}`
      })

/** Without a full stop. */
export const reason = (error: unknown): string => {
  const told = error instanceof Error ? error.message : String(error)
  const cause = isSqlError(error) ? error.reason.cause : Predicate.hasProperty(error, "cause") ? error.cause : undefined
  const words = cause === undefined ? told : isSqlError(error) ? reason(cause) : `${told}: ${reason(cause)}`
  return words.replace(/\.$/, "")
}
