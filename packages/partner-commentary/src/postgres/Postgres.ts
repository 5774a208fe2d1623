/** Exports `partner-commentary/postgres`: a database on Postgres 15 to 18, which any number of processes can share. */
import * as HostPool from "@partner-commentary/postgres/HostPool"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as PostgresUrl from "@partner-commentary/postgres/PostgresUrl"
import {
  makeCountOption,
  makeOptionalOption,
  optionalBooleanOption
} from "@partner-commentary/server/embedding/OptionRules"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Database } from "../Database.ts"
import { makeInvalidOptionError } from "../PartnerCommentaryError.ts"
import { makeSettingsDecoder } from "../SettingsDecoder.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
import * as StartFailure from "./StartFailure.ts"

export interface PoolOptions {
  /**
   * The Postgres schema of the service's tables, such as `commentary`. At its start, the service creates a missing
   * schema if the database role may create schemas.
   */
  readonly schema?: string | undefined
  /** True (the default) if the service migrates the database at its start. */
  readonly migrate?: boolean | undefined
  /**
   * True (the default) if the process listens for signals of other processes. To listen, the process needs a database
   * connection that stays open. A process that does not listen for signals finds new work by polling.
   */
  readonly listen?: boolean | undefined
}

export interface PostgresOptions extends PoolOptions {
  /**
   * The URL that bypasses a connection pooler, for migrations and signals. Set `directUrl` if the first argument is the
   * URL of a pooler.
   */
  readonly directUrl?: string | undefined
  /** The maximum number of database connections of a process, by default 10. */
  readonly poolSize?: number | undefined
}

/**
 * Returns the option `database` for a URL such as `postgres://user:password@host:5432/database`, or for your own pool.
 * The pool is a `pg.Pool`, a PGlite database, or any object with `connect()` and `query(text, values)`. The service
 * does not change the type parsers and settings of your pool, and never ends it. The function throws an error if an
 * argument is invalid.
 */
export function postgres(url: string, options?: PostgresOptions): Database
export function postgres(pool: HostPool.HostPool, options?: PoolOptions): Database
export function postgres(given: string | HostPool.HostPool, options: PostgresOptions = {}): Database {
  return typeof given === "string"
    ? byUrl(given, Result.getOrThrow(settings(options)))
    : onPool(given, Result.getOrThrow(poolSettings(options)))
}

/** The maximum length of a schema's name in bytes, because Postgres would truncate a longer name. */
const longestName = 63

const isName = (name: unknown) =>
  Predicate.isString(name) && name !== "" && !name.includes("\0") && Buffer.byteLength(name) <= longestName

const shared = {
  schema: makeOptionalOption((name) => isName(name) || `must have 1 to ${longestName} bytes`),
  migrate: optionalBooleanOption,
  listen: optionalBooleanOption
}
const poolSettings = makeSettingsDecoder("database", shared)
const settings = makeSettingsDecoder("database", {
  ...shared,
  directUrl: makeOptionalOption(() => true),
  poolSize: makeCountOption(1)
})

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
    schema
  }
  const opened = PostgresDatabase.layer(config, { migrates: migrate, listens: listen, keepsTime: true })
  return StartFailure.explainStartFailure(told, opened)
}

const onPool = (given: HostPool.HostPool, { listen = true, migrate = true, schema }: PoolOptions): Database => {
  const pool = Result.getOrThrow(Result.liftPredicate(given, HostPool.isHostPool, () => notPool))
  const opened = Postgres.layerHostPool({ pool, schema }, { migrates: migrate, listens: listen })
  return StartFailure.explainStartFailure("the pool's server", opened)
}

const notPool = makeInvalidOptionError(
  "database",
  "must be postgres://… or a pool with connect() and query(text, values)"
)

const parsed = (option: string, url: string) =>
  Result.getOrThrowWith(PostgresUrl.parsePostgresUrl(Redacted.make(url)), ({ reason }) =>
    makeInvalidOptionError(option, reason)
  )
