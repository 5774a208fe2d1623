/** `partner-commentary/postgres`: a database on Postgres 15 to 18, shared by any number of processes. */
import * as HostPool from "@partner-commentary/postgres/HostPool"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as PostgresUrl from "@partner-commentary/postgres/PostgresUrl"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Database } from "../Database.ts"
import { explained, invalidOption } from "../PartnerCommentaryError.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"

export interface PoolOptions {
  /** Whether the start brings the database to the present schema. True unless given. */
  readonly migrate?: boolean | undefined
  /** Whether the process hears at once what others do, over a connection that stays open. True unless given. */
  readonly listen?: boolean | undefined
}

export interface PostgresOptions extends PoolOptions {
  /** The address past a connection pooler, for migrations and signals, where the first one leads to a pooler. */
  readonly directUrl?: string | undefined
  /** How many connections a process opens at most; 10 unless given. */
  readonly poolSize?: number | undefined
}

/**
 * `postgres://user:password@host:5432/database`, or your own pool: `pg.Pool`, PGlite, or anything with `connect()` and
 * `query(text, values)`. Your pool keeps its type parsers and settings, and only you end it. A wrong value is thrown at once.
 */
export function postgres(url: string, options?: PostgresOptions): Database
export function postgres(pool: HostPool.HostPool, options?: PoolOptions): Database
export function postgres(given: string | HostPool.HostPool, options: PostgresOptions = {}): Database {
  return typeof given === "string" ? byUrl(given, options) : onPool(given, options)
}

const byUrl = (url: string, { directUrl, listen = true, migrate = true, poolSize }: PostgresOptions): Database => {
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

const onPool = (given: HostPool.HostPool, { listen = true, migrate = true }: PoolOptions): Database => {
  const pool = Result.getOrThrow(Result.liftPredicate(given, HostPool.isHostPool, () => notPool))
  return explained("The database of the pool", Postgres.layerHostPool({ pool }, { migrates: migrate, listens: listen }))
}

const notPool = invalidOption("database", "must be postgres://… or a pool with connect() and query(text, values)")

const parsed = (option: string, url: string) =>
  Result.getOrThrowWith(PostgresUrl.parsePostgresUrl(Redacted.make(url)), ({ reason }) => invalidOption(option, reason))
