/** What the commands of an operator run on: the configuration, the stores, and the use cases that need no server. */
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { Creators } from "@partner-commentary/core/creator/Creators"
import { WebhookAdministration } from "@partner-commentary/core/webhook/WebhookAdministration"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "../app/Database.ts"
import * as Logs from "../telemetry/Logs.ts"

const layerOn = (options: Parameters<typeof Database.layerForCommand>[1]) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* Effect.tap(Settings.read, Settings.requireNamedDatabase)
      const crypto = yield* Effect.promise(() => import("@effect/platform-node/NodeCrypto"))
      return Layer.mergeAll(ApiKeys.layer, Creators.layer, WebhookAdministration.layer).pipe(
        Layer.provideMerge(Database.layerForCommand(settings, options)),
        Layer.provideMerge(Layer.mergeAll(crypto.layerDigest, crypto.layerSecureRandom)),
        Layer.provideMerge(Logs.layer(settings, "warn"))
      )
    })
  )

export const layer = layerOn({ creates: false })

/** For what a new installation may begin with: makes the schema where there is nothing at all. */
export const layerCreating = layerOn({ creates: true })

/** A change and its record in the audit log: both or none. */
export const together = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.catchTag(sql.withTransaction(change), "SqlError", (error) => Effect.die(error))
  )
