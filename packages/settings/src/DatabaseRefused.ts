/** Why the database cannot be used, told to whoever set DATABASE_URL. */
import { reasonOf } from "@partner-commentary/core/shared/Reason"
import { type Database, told } from "./DatabaseSettings.ts"
import { SettingRefused } from "./Variable.ts"

/** Outside development a missing file probably existed: a new one would be an empty service in its place. */
export const missingFile =
  "there is no such file: mount its volume or put it back; run partner-commentary migrate for a new installation alone"

/** Names the file or the server, and the variable that chose it or could have. */
export const of = (database: Database, error: unknown): SettingRefused =>
  error instanceof SettingRefused
    ? error
    : new SettingRefused({
        name: "DATABASE_URL",
        reason: `${database.isDefault ? "is unset, which means" : "points at"} ${told(database)}: ${reasonOf(error)}`
      })
