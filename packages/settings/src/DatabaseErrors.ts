/** Explains why the database cannot be used, with a reference to DATABASE_URL or DATABASE_DIRECT_URL. */
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import * as Predicate from "effect/Predicate"
import { type DatabaseSettings, formatDatabaseName } from "./DatabaseSettings.ts"
import { InvalidSetting } from "./Variable.ts"

/**
 * The message for a missing database file. Outside development, the path of a missing file is probably wrong. If the
 * service created the missing file, it would start with an empty database.
 */
export const missingDatabaseFileReason =
  "the file does not exist: mount its volume or restore it; run partner-commentary migrate only for a new installation"

/** Returns an error that names the database file or the server, and the environment variable DATABASE_URL. */
export const explainDatabaseError = (database: DatabaseSettings, error: unknown): InvalidSetting => {
  if (error instanceof InvalidSetting) return error
  const name = formatDatabaseName(database)
  return Predicate.isTagged(error, "DirectUrlMismatch")
    ? new InvalidSetting({
        name: "DATABASE_DIRECT_URL",
        reason: `must lead to the same database as DATABASE_URL (${name}), but leads to another`
      })
    : new InvalidSetting({
        name: "DATABASE_URL",
        reason: `${database.isDefault ? "is unset, which means" : "points at"} ${name}: ${formatErrorWithCauses(error)}`
      })
}
