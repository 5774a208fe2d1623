/**
 * The database that the settings name: every store of the core, and what the processes on it share. Who stays brings it to the present
 * schema; commands find it so, or are refused. The adapter is loaded when it is needed.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { reasonOf } from "@partner-commentary/core/shared/Reason"
import * as DatabaseRefused from "@partner-commentary/settings/DatabaseRefused"
import { isPostgres, poolOf, type SqliteDatabase } from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import { SettingRefused } from "@partner-commentary/settings/Variable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import * as DataFolder from "./DataFolder.ts"

/**
 * Opens the database and migrates it. Servers and workers also listen for signals of other processes. Outside development a
 * missing file is refused: a wrong path or an unmounted volume would otherwise start an empty service.
 */
export const layer = (settings: Settings, options: { readonly listens: boolean }) =>
  Layer.unwrap(
    Effect.suspend(() => {
      const { database } = settings
      return !isPostgres(database) && isMissing(settings) && !mayBegin(settings)
        ? refused(settings, missing(settings, database.filename))
        : Effect.succeed(opened(settings, { ...options, migrates: true }))
    })
  )

/** For commands: of the present schema already. Who `begins` also takes a database in which there is nothing at all, and makes it. */
export const layerForCommand = (settings: Settings, { begins }: { readonly begins: boolean }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (inMemory(settings) || (begins && isMissing(settings) && mayBegin(settings))) {
        return layer(settings, { listens: false })
      }
      const { isEmpty, left } = yield* schemaStatus(settings)
      if (isEmpty && begins) return layer(settings, { listens: false })
      if (left.length > 0) return yield* refused(settings, behind(isEmpty, left))
      return opened(settings, { listens: false, migrates: false })
    })
  )

const behind = (isEmpty: boolean, left: ReadonlyArray<string>) =>
  isEmpty
    ? "it is empty; run partner-commentary migrate first"
    : `its schema is behind this version (${left.length === 1 ? "one migration is" : `${left.length} migrations are`} left to do); run partner-commentary migrate first`

/** How it stands. A file that is not there is not made. */
const schemaStatus = (settings: Settings) =>
  Effect.flatMap(
    Effect.promise(() => import("@partner-commentary/sql/Migrations")),
    (Migrations) => looking(settings, Migrations.schemaStatus)
  )

/** Asks the database alone, whatever its schema is, and changes nothing there. */
export const looking = <A, E>(settings: Settings, question: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.suspend(() => {
    const { database } = settings
    if (!isPostgres(database) && isMissing(settings)) return refused(settings, missing(settings, database.filename))
    return Effect.mapError(Effect.provide(question, layerLook(settings)), (error) =>
      DatabaseRefused.of(database, error)
    )
  })

/** The same on the way that migrations take; nothing where that is the one of everybody. */
export const lookingDirectly = <A, E>(settings: Settings, question: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const { database } = settings
    if (!isPostgres(database) || Option.isNone(database.directUrl)) return Option.none<A>()
    const postgres = yield* Effect.promise(() => import("@partner-commentary/postgres/Postgres"))
    return yield* Effect.mapBoth(Effect.provide(question, postgres.layerLookDirect(poolOf(database))), {
      onFailure: (error) =>
        new SettingRefused({
          name: "DATABASE_DIRECT_URL",
          reason: `leads to no database of use: ${reasonOf(error)}`
        }),
      onSuccess: Option.some
    })
  })

const refused = ({ database }: Settings, reason: string) => Effect.fail(DatabaseRefused.of(database, reason))

const inMemory = ({ database }: Settings) => !isPostgres(database) && database.filename === ":memory:"

const isMissing = ({ database }: Settings) =>
  !isPostgres(database) && database.filename !== ":memory:" && !existsSync(database.filename)

/** Whether a file is made where there is none. */
const mayBegin = ({ development }: Settings) => development

/**
 * Why a missing file cannot be made, or how to make it. Outside development the file probably existed: `migrate` would put an empty
 * service in its place.
 */
const missing = (settings: Settings, filename: SqliteDatabase["filename"]): string => {
  const folder = existing(dirname(resolve(filename)))
  if (statSync(folder).isDirectory() && isWritable(folder)) {
    return mayBegin(settings)
      ? "there is no such file yet; run partner-commentary migrate to create it"
      : DatabaseRefused.missingFile
  }
  return `unable to open database file, for ${folder} is no folder that this user may write to`
}

const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)))

const isWritable = (folder: string): boolean =>
  Result.isSuccess(Result.try(() => accessSync(folder, constants.W_OK | constants.X_OK)))

const opened = (settings: Settings, options: { readonly listens: boolean; readonly migrates: boolean }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* DataFolder.makeFor(settings)
      const { database } = settings
      if (isPostgres(database)) {
        const { layer } = yield* Effect.promise(() => import("partner-commentary/postgres/PostgresDatabase"))
        return explained(settings, layer(poolOf(database), { ...options, keepsTime: true }))
      }
      const { layer } = yield* Effect.promise(() => import("partner-commentary/sqlite/SqliteDatabase"))
      return explained(settings, layer(database.filename, options))
    })
  )

/** The database alone, for who migrates. */
export const layerClient = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* DataFolder.makeFor(settings)
      const { database } = settings
      if (isPostgres(database)) {
        const postgres = yield* Effect.promise(() => import("@partner-commentary/postgres/Postgres"))
        return explained(settings, postgres.layerMigrating(poolOf(database)))
      }
      const sqlite = yield* Effect.promise(() => import("@partner-commentary/sqlite/SqliteClient"))
      return explained(settings, sqlite.layer({ filename: database.filename }))
    })
  )

const layerLook = ({ database }: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (isPostgres(database)) {
        const postgres = yield* Effect.promise(() => import("@partner-commentary/postgres/Postgres"))
        return postgres.layerLook(poolOf(database))
      }
      const sqlite = yield* Effect.promise(() => import("@partner-commentary/sqlite/SqliteClient"))
      return sqlite.layer({ filename: database.filename, disableWAL: true })
    })
  )

const explained = <A, E, R>({ database }: Settings, layer: Layer.Layer<A, E, R>) =>
  Layer.catch(layer, (error) => Layer.effectContext(Effect.fail(DatabaseRefused.of(database, error))))
