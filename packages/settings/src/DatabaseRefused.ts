/** Explains why the database cannot be used, in terms of DATABASE_URL. */
import { reasonOf } from "@partner-commentary/core/shared/Reason"
import { type DatabaseSettings, databaseDisplayName } from "./DatabaseSettings.ts"
import { SettingRefused } from "./Variable.ts"

/**
 * Outside development, the path of a missing file is probably wrong. Creating the file would start the service with an
 * empty database.
 */
export const explainMissingFile =
  "the file does not exist: mount its volume or restore it; run partner-commentary migrate only for a new installation"

/** The message names the file or the server, and the variable that selects it. */
export const explainDatabaseError = (database: DatabaseSettings, error: unknown): SettingRefused =>
  error instanceof SettingRefused
    ? error
    : new SettingRefused({
        name: "DATABASE_URL",
        reason: `${database.isDefault ? "is unset, which means" : "points at"} ${databaseDisplayName(database)}: ${reasonOf(error)}`
      })
