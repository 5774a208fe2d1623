/** The database that the settings name, brought to the present schema, as every store of the core. The adapter is loaded when it is needed. */
import { isPostgres, poolOf } from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const layer = ({ database }: Settings) =>
  isPostgres(database)
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@partner-commentary/postgres/Postgres")),
          (postgres) => postgres.layer(poolOf(database))
        )
      )
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@partner-commentary/sqlite/Sqlite")),
          (sqlite) => sqlite.layer({ filename: database.filename })
        )
      )
