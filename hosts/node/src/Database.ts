/**
 * The database that the settings name, brought to the present schema: every store of the core, and what the processes on it share.
 * The adapter is loaded when it is needed.
 */
import { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import { RateWindows } from "@partner-commentary/core/access/RateWindows"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as DatabaseRefused from "@partner-commentary/settings/DatabaseRefused"
import { isPostgres, poolOf } from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DataFolder from "./DataFolder.ts"

/** Who stays listens to the others. */
export const layer = (settings: Settings, options: { readonly listens: boolean }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* DataFolder.makeFor(settings)
      const { database } = settings
      if (isPostgres(database)) {
        const postgres = yield* Effect.promise(() => import("@partner-commentary/postgres/Postgres"))
        const shared = Layer.merge(postgres.layerSignals(poolOf(database), options), postgres.layerClock)
        return explained(settings, Layer.provideMerge(shared, postgres.layer(poolOf(database))))
      }
      const sqlite = yield* Effect.promise(() => import("@partner-commentary/sqlite/Sqlite"))
      return explained(
        settings,
        Layer.mergeAll(
          sqlite.layer({ filename: database.filename }),
          RateWindows.layerMemory,
          AccessChanges.layerProcess,
          WorkSignal.layerProcess
        )
      )
    })
  )

/** The database alone, whatever its schema is. */
export const layerClient = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* DataFolder.makeFor(settings)
      const { database } = settings
      if (isPostgres(database)) {
        const postgres = yield* Effect.promise(() => import("@partner-commentary/postgres/Postgres"))
        return explained(settings, postgres.layerDirect(poolOf(database)))
      }
      const sqlite = yield* Effect.promise(() => import("@partner-commentary/sqlite/SqliteClient"))
      return explained(settings, sqlite.layer({ filename: database.filename }))
    })
  )

const explained = <A, E, R>({ database }: Settings, layer: Layer.Layer<A, E, R>) =>
  Layer.catch(layer, (error) => Layer.effectContext(Effect.fail(DatabaseRefused.of(database, error))))
