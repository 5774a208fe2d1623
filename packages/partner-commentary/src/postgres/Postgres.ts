/** `partner-commentary/postgres`: a database on Postgres 15 to 18, shared by any number of processes. */
import * as PostgresUrl from "@partner-commentary/postgres/PostgresUrl"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Database } from "../Database.ts"
import { explained, invalidOption } from "../PartnerCommentaryError.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"

export interface PostgresOptions {
  /** The address past a connection pooler, for migrations and signals, where the first one leads to a pooler. */
  readonly directUrl?: string | undefined
  /** How many connections a process opens at most; 10 unless given. */
  readonly poolSize?: number | undefined
  /** Whether the start brings the database to the present schema. True unless given. */
  readonly migrate?: boolean | undefined
  /** Whether the process hears at once what others do, over a connection that stays open. True unless given. */
  readonly listen?: boolean | undefined
}

/** `postgres://user:password@host:5432/database`. A wrong address is thrown at once. */
export const postgres = (
  url: string,
  { directUrl, listen = true, migrate = true, poolSize }: PostgresOptions = {}
): Database => {
  const { told } = parsed("database", url)
  if (directUrl !== undefined) parsed("database.directUrl", directUrl)
  const config = {
    url: Redacted.make(url),
    directUrl: directUrl === undefined ? undefined : Redacted.make(directUrl),
    poolSize
  }
  const opened = PostgresDatabase.layer(config, { migrates: migrate, listens: listen, keepsTime: true })
  return explained(`The database ${told}`, opened)
}

const parsed = (option: string, url: string) =>
  Result.getOrThrowWith(PostgresUrl.parse(Redacted.make(url)), ({ reason }) => invalidOption(option, reason))
