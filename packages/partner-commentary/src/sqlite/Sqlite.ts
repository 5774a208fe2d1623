/** `partner-commentary/sqlite`: the database in one file. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Database } from "../Database.ts"
import { explained, invalidOption, type PartnerCommentaryError } from "../PartnerCommentaryError.ts"
import * as SqliteDatabase from "./SqliteDatabase.ts"

export interface SqliteOptions {
  /** Whether the start brings the file to the present schema, and makes it if it is missing. True unless given. */
  readonly migrate?: boolean | undefined
}

/** A file, whose folder is made with it, or `:memory:`. Processes of one machine may share a file. */
export const sqlite = (filename: string, { migrate = true }: SqliteOptions = {}): Database => {
  const file = Result.getOrThrow(named(filename))
  return explained(`The database ${file}`, SqliteDatabase.layer(file, { migrates: migrate }))
}

const named = (filename: unknown): Result.Result<string, PartnerCommentaryError> =>
  Predicate.isString(filename) && filename !== ""
    ? Result.succeed(filename)
    : Result.fail(invalidOption("database", 'must name a file, such as sqlite("commentary.db")'))
