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
  /**
   * The schema of the service's tables, such as `commentary`. The service creates it at its start if the role is
   * allowed to.
   */
  readonly schema?: string | undefined
  /** True if the start migrates the database to the present schema. The default is true. */
  readonly migrate?: boolean | undefined
  /**
   * True if the process receives signals of other processes at once, over a connection that stays open. The default is
   * true.
   */
  readonly listen?: boolean | undefined
}

export interface PostgresOptions extends PoolOptions {
  /**
   * The address that bypasses a connection pooler, for migrations and signals. Set it if the first address leads to a
   * pooler.
   */
  readonly directUrl?: string | undefined
  /** The maximum number of connections of a process, by default 10. */
  readonly poolSize?: number | undefined
}

/**
 * `postgres://user:password@host:5432/database`, or your own pool: a `pg.Pool`, a PGlite database, or any object with
 * `connect()` and `query(text, values)`. Your pool keeps its type parsers and settings, and the service never ends it.
 * An invalid value throws an error at once.
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

/** Postgres truncates longer names. */
const longestName = 63

const named = (schema: string | undefined) =>
  Result.getOrThrow(
    schema !== undefined && (schema === "" || schema.includes("\0") || Buffer.byteLength(schema) > longestName)
      ? Result.fail(invalidOption("database.schema", `must have 1 to ${longestName} bytes`))
      : Result.succeed(schema)
  )

const parsed = (option: string, url: string) =>
  Result.getOrThrowWith(PostgresUrl.parsePostgresUrl(Redacted.make(url)), ({ reason }) => invalidOption(option, reason))
