/** Exports `partner-commentary/sqlite`: a database in one SQLite file. */

import { optionalBooleanOption } from "@partner-commentary/server/embedding/OptionRules"
import * as HostDatabase from "@partner-commentary/sqlite/HostDatabase"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Database } from "../Database.ts"
import { makeInvalidOptionError, mapToStartError, type PartnerCommentaryError } from "../PartnerCommentaryError.ts"
import { makeSettingsDecoder } from "../SettingsDecoder.ts"
import * as SqliteDatabase from "./SqliteDatabase.ts"

export interface SqliteOptions {
  /**
   * True (the default) if the service creates a missing file at its start, and migrates the file to the current schema.
   */
  readonly migrate?: boolean | undefined
}

/**
 * Returns the option `database` for a file, or for a database in memory with `:memory:`. The service also creates
 * missing folders of the file. Processes on one machine may share a SQLite file. If you pass your own open
 * `DatabaseSync`, the service opens its own connection to the file, and never closes yours.
 */
export const sqlite = (file: string | HostDatabase.HostDatabase, options: SqliteOptions = {}): Database => {
  const { migrate = true } = Result.getOrThrow(settings(options))
  const filename = Result.getOrThrow(findDatabaseFile(file))
  return mapToStartError(`The database ${filename}`, SqliteDatabase.layer(filename, { migrates: migrate }))
}

const settings = makeSettingsDecoder("database", { migrate: optionalBooleanOption })

const findDatabaseFile = (given: unknown): Result.Result<string, PartnerCommentaryError> => {
  if (HostDatabase.isHostDatabase(given)) {
    return Result.fromNullishOr(HostDatabase.findDatabasePath(given), () =>
      makeInvalidOptionError(
        "database",
        "must be an open DatabaseSync on a file, because the service opens the file itself"
      )
    )
  }
  if (HostDatabase.isBetterSqliteDatabase(given)) {
    return Result.fail(
      makeInvalidOptionError(
        "database",
        "is a connection of better-sqlite3 or another library: pass its file, such as sqlite(database.name)"
      )
    )
  }
  return Predicate.isString(given) && given !== ""
    ? Result.succeed(given)
    : Result.fail(
        makeInvalidOptionError(
          "database",
          'must name a file, such as sqlite("commentary.db"), or be an open DatabaseSync'
        )
      )
}
