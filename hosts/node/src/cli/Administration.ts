/** Provides layers for the operator's commands: settings, stores, and use cases that need no running server. */
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { WebhookAdministration } from "@partner-commentary/core/webhook/WebhookAdministration"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Database from "../app/Database.ts"
import * as Logs from "../telemetry/Logs.ts"

const layerOn = (options: Parameters<typeof Database.layerForCommand>[1]) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* Effect.tap(Settings.readSettings, Settings.requireExplicitDatabase)
      const crypto = yield* Effect.promise(() => import("@effect/platform-node/NodeCrypto"))
      return Layer.mergeAll(ApiKeys.layer, CreatorAdministration.layer, WebhookAdministration.layer).pipe(
        Layer.provideMerge(Database.layerForCommand(settings, options)),
        Layer.provideMerge(Layer.mergeAll(crypto.layerDigest, crypto.layerSecureRandom)),
        Layer.provideMerge(Logs.layer(settings, "warn"))
      )
    })
  )

export const layer = layerOn({ creates: false })

/**
 * Creates the schema in an empty or missing database. The layer is for commands that an operator may run first in a new
 * installation.
 */
export const layerCreatingSchema = layerOn({ creates: true })
