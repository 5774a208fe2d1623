/**
 * Migrates the configured database, and provides the stores and the signals that containers share. Only the chosen
 * database's adapter is loaded. Lambda freezes a container between invocations, so a container does not listen for
 * notifications and uses its own clock.
 */
import { existsSync } from "node:fs"
import * as DatabaseErrors from "@partner-commentary/settings/DatabaseErrors"
import {
  type DatabaseSettings,
  isPostgresSettings,
  toPostgresOptions
} from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lazyLayer } from "partner-commentary/Adapters"

export const layer = ({ database }: Settings) =>
  Layer.unwrap(
    Effect.suspend(() =>
      isPostgresSettings(database) || database.filename === ":memory:" || existsSync(database.filename)
        ? Effect.succeed(layerDatabase(database))
        : // Creating a missing file would start an empty service if the file system is not mounted.
          Effect.fail(DatabaseErrors.explainDatabaseError(database, DatabaseErrors.missingDatabaseFileReason))
    )
  )

const layerDatabase = (database: DatabaseSettings) =>
  (isPostgresSettings(database)
    ? lazyLayer(
        () => import("partner-commentary/postgres/PostgresDatabase"),
        ({ layer }) => layer(toPostgresOptions(database), { migrates: true, listens: false, keepsTime: false })
      )
    : lazyLayer(
        () => import("partner-commentary/sqlite/SqliteDatabase"),
        ({ layer }) => layer(database.filename, { migrates: true })
      )
  ).pipe(Layer.catch((error) => Layer.effectContext(Effect.fail(DatabaseErrors.explainDatabaseError(database, error)))))
