/** `partner-commentary/sqlite`: the database in one file. */
import type { Database } from "../Database.ts"
import { explained } from "../PartnerCommentaryError.ts"
import * as SqliteDatabase from "./SqliteDatabase.ts"

export interface SqliteOptions {
  /** Whether the start brings the file to the present schema, and makes it if it is missing. True unless given. */
  readonly migrate?: boolean | undefined
}

/** A file, whose folder is made with it, or `:memory:`. Processes of one machine may share a file. */
export const sqlite = (filename: string, { migrate = true }: SqliteOptions = {}): Database =>
  explained(`The database ${filename}`, SqliteDatabase.layer(filename, { migrates: migrate }))
