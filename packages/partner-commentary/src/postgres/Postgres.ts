/** `partner-commentary/postgres`: a database on Postgres 15 to 18, shared by any number of processes. */
import * as HostPool from "@partner-commentary/postgres/HostPool"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as PostgresUrl from "@partner-commentary/postgres/PostgresUrl"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Database } from "../Database.ts"
import { invalidOption } from "../PartnerCommentaryError.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
import * as StartFailure from "./StartFailure.ts"

export interface PoolOptions {
  /** The schema of our tables, such as `commentary`. The start creates it if the role may. */
  readonly schema?: string | undefined
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

const byUrl = (
  url: string,
  { directUrl, listen = true, migrate = true, poolSize, schema }: PostgresOptions
): Database => {
  const { told } = parsed("database", url)
  if (directUrl !== undefined) parsed("database.directUrl", directUrl)
  const config = {
    url: Redacted.make(url),
    directUrl: directUrl === undefined ? undefined : Redacted.make(directUrl),
    poolSize,
    schema: named(schema)
  }
  const opened = PostgresDatabase.layer(config, { migrates: migrate, listens: listen, keepsTime: true })
  return StartFailure.explained(told, opened)
}

const onPool = (given: HostPool.HostPool, { listen = true, migrate = true, schema }: PoolOptions): Database => {
  const pool = Result.getOrThrow(Result.liftPredicate(given, HostPool.isHostPool, () => notPool))
  const opened = Postgres.layerHostPool({ pool, schema: named(schema) }, { migrates: migrate, listens: listen })
  return StartFailure.explained("the pool's server", opened)
}

const notPool = invalidOption("database", "must be postgres://… or a pool with connect() and query(text, values)")

/** Postgres cuts longer names. */
const longestName = 63

const named = (schema: string | undefined) =>
  Result.getOrThrow(
    schema !== undefined && (schema === "" || schema.includes("\0") || Buffer.byteLength(schema) > longestName)
      ? Result.fail(invalidOption("database.schema", `must have 1 to ${longestName} bytes`))
      : Result.succeed(schema)
  )

const parsed = (option: string, url: string) =>
  Result.getOrThrowWith(PostgresUrl.parsePostgresUrl(Redacted.make(url)), ({ reason }) => invalidOption(option, reason))
