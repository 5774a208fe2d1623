/**
 * Opens the configured database, and provides the stores and the signals between processes. Servers and workers migrate
 * the database; commands require the current schema. Only the adapter of the chosen database is loaded.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import * as DatabaseErrors from "@partner-commentary/settings/DatabaseErrors"
import {
  isPostgresSettings,
  type SqliteSettings,
  toPostgresOptions
} from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import { InvalidSetting } from "@partner-commentary/settings/Variable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import * as DataFolder from "./DataFolder.ts"

/**
 * Opens and migrates the database. Servers and workers also listen for signals of other processes. Outside development,
 * a missing database file is refused: with a wrong path or an unmounted volume, the service would start with an empty
 * database.
 */
export const layer = (settings: Settings, options: { readonly listens: boolean }) =>
  Layer.unwrap(
    Effect.suspend(() => {
      const { database } = settings
      return !isPostgresSettings(database) && isMissing(settings) && !mayCreate(settings)
        ? failWithDatabaseError(settings, missing(settings, database.filename))
        : Effect.succeed(layerDatabase(settings, { ...options, migrates: true }))
    })
  )

/**
 * Opens the database for commands. The database must have the current schema. If `creates` is true, the function
 * creates the schema in an empty or missing database.
 */
export const layerForCommand = (settings: Settings, { creates }: { readonly creates: boolean }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (inMemory(settings) || (creates && isMissing(settings) && mayCreate(settings))) {
        return layer(settings, { listens: false })
      }
      const { isEmpty, left } = yield* schemaStatus(settings)
      if (isEmpty && creates) return layer(settings, { listens: false })
      if (left.length > 0) return yield* failWithDatabaseError(settings, behind(isEmpty, left))
      return layerDatabase(settings, { listens: false, migrates: false })
    })
  )

const behind = (isEmpty: boolean, left: ReadonlyArray<string>) =>
  isEmpty
    ? "it is empty; run partner-commentary migrate first"
    : `its schema is older than this version (${left.length === 1 ? "one migration is" : `${left.length} migrations are`} pending); run partner-commentary migrate first`

/** Reads the status of the schema, and never creates a missing database file. */
const schemaStatus = (settings: Settings) =>
  Effect.flatMap(
    Effect.promise(() => import("@partner-commentary/sql/Migrations")),
    (Migrations) => queryWithoutSchemaCheck(settings, Migrations.schemaStatus)
  )

/** Runs a query on a database with any schema, and changes nothing. */
export const queryWithoutSchemaCheck = <A, E>(settings: Settings, question: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.suspend(() => {
    const { database } = settings
    if (!isPostgresSettings(database) && isMissing(settings))
      return failWithDatabaseError(settings, missing(settings, database.filename))
    return Effect.mapError(Effect.provide(question, layerInspect(settings)), (error) =>
      DatabaseErrors.explainDatabaseError(database, error)
    )
  })

/**
 * Runs a query over the connection of DATABASE_DIRECT_URL, which migrations use. Returns none if DATABASE_DIRECT_URL is
 * unset.
 */
export const queryOverDirectUrl = <A, E>(settings: Settings, question: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const { database } = settings
    if (!isPostgresSettings(database) || Option.isNone(database.directUrl)) return Option.none<A>()
    const postgres = yield* Effect.promise(() => import("@partner-commentary/postgres/Postgres"))
    return yield* Effect.mapBoth(
      Effect.provide(question, postgres.layerDirectInspectionClient(toPostgresOptions(database))),
      {
        onFailure: (error) =>
          Predicate.isTagged(error, "DirectUrlMismatch")
            ? DatabaseErrors.explainDatabaseError(database, error)
            : new InvalidSetting({
                name: "DATABASE_DIRECT_URL",
                reason: `cannot be used as a database: ${formatErrorWithCauses(error)}`
              }),
        onSuccess: Option.some
      }
    )
  })

const failWithDatabaseError = ({ database }: Settings, reason: string) =>
  Effect.fail(DatabaseErrors.explainDatabaseError(database, reason))

const inMemory = ({ database }: Settings) => !isPostgresSettings(database) && database.filename === ":memory:"

const isMissing = ({ database }: Settings) =>
  !isPostgresSettings(database) && database.filename !== ":memory:" && !existsSync(database.filename)

/** Returns whether a missing database file may be created. */
const mayCreate = ({ development }: Settings) => development

/**
 * Returns how to create a missing database file, or why the file cannot be created. Outside development, a missing file
 * usually means a wrong path, so the text does not suggest `migrate`, which would create an empty database.
 */
const missing = (settings: Settings, filename: SqliteSettings["filename"]): string => {
  const folder = existing(dirname(resolve(filename)))
  if (statSync(folder).isDirectory() && isWritable(folder)) {
    return mayCreate(settings)
      ? "the file does not exist yet; run partner-commentary migrate to create it"
      : DatabaseErrors.missingDatabaseFileReason
  }
  return `unable to open database file, for ${folder} is no folder that this user may write to`
}

const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)))

const isWritable = (folder: string): boolean =>
  Result.isSuccess(Result.try(() => accessSync(folder, constants.W_OK | constants.X_OK)))

const layerDatabase = (settings: Settings, options: { readonly listens: boolean; readonly migrates: boolean }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* DataFolder.createDataFolderForDatabase(settings)
      const { database } = settings
      if (isPostgresSettings(database)) {
        const { layer } = yield* Effect.promise(() => import("partner-commentary/postgres/PostgresDatabase"))
        return namingVariable(settings, layer(toPostgresOptions(database), { ...options, keepsTime: true }))
      }
      const { layer } = yield* Effect.promise(() => import("partner-commentary/sqlite/SqliteDatabase"))
      return namingVariable(settings, layer(database.filename, { ...options, sharesReads: true }))
    })
  )

/** Opens the database for migrations, without building the stores. */
export const layerForMigrations = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* DataFolder.createDataFolderForDatabase(settings)
      const { database } = settings
      if (isPostgresSettings(database)) {
        const postgres = yield* Effect.promise(() => import("@partner-commentary/postgres/Postgres"))
        return namingVariable(settings, postgres.layerMigrationClientWithClock(toPostgresOptions(database)))
      }
      const sqlite = yield* Effect.promise(() => import("@partner-commentary/sqlite/SqliteClient"))
      return namingVariable(settings, sqlite.layer({ filename: database.filename }))
    })
  )

const layerInspect = ({ database }: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (isPostgresSettings(database)) {
        const postgres = yield* Effect.promise(() => import("@partner-commentary/postgres/Postgres"))
        return postgres.layerInspectionClient(toPostgresOptions(database))
      }
      const sqlite = yield* Effect.promise(() => import("@partner-commentary/sqlite/SqliteClient"))
      return sqlite.layer({ filename: database.filename, disableWAL: true })
    })
  )

const namingVariable = <A, E, R>({ database }: Settings, layer: Layer.Layer<A, E, R>) =>
  Layer.catch(layer, (error) => Layer.effectContext(Effect.fail(DatabaseErrors.explainDatabaseError(database, error))))
