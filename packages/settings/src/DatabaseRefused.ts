/** Explains why the database cannot be used, in terms of DATABASE_URL. */
import { reasonOf } from "@partner-commentary/core/shared/Reason"
import { type Database, displayName } from "./DatabaseSettings.ts"
import { SettingRefused } from "./Variable.ts"

/**
 * Outside development, the missing file probably existed before. A new file would replace the service's data by an
 * empty database.
 */
export const missingFile =
  "there is no such file: mount its volume or put it back; run partner-commentary migrate for a new installation alone"

/** The message names the file or the server, and the variable that selects it. */
export const of = (database: Database, error: unknown): SettingRefused =>
  error instanceof SettingRefused
    ? error
    : new SettingRefused({
        name: "DATABASE_URL",
        reason: `${database.isDefault ? "is unset, which means" : "points at"} ${displayName(database)}: ${reasonOf(error)}`
      })
