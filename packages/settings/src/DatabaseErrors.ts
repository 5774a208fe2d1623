/** Explains why the database cannot be used, with a reference to DATABASE_URL. */
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import { type DatabaseSettings, formatDatabaseName } from "./DatabaseSettings.ts"
import { InvalidSetting } from "./Variable.ts"

/**
 * The message for a missing database file. Outside development, the path of a missing file is probably wrong. If the
 * service created the missing file, it would start with an empty database.
 */
export const missingDatabaseFileReason =
  "the file does not exist: mount its volume or restore it; run partner-commentary migrate only for a new installation"

/** Returns an error that names the database file or the server, and the environment variable DATABASE_URL. */
export const explainDatabaseError = (database: DatabaseSettings, error: unknown): InvalidSetting =>
  error instanceof InvalidSetting
    ? error
    : new InvalidSetting({
        name: "DATABASE_URL",
        reason: `${database.isDefault ? "is unset, which means" : "points at"} ${formatDatabaseName(database)}: ${formatErrorWithCauses(error)}`
      })
