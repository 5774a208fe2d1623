/** What the commands of an operator run on: the configuration, the stores, and the use cases that need no server. */
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { Creators } from "@partner-commentary/core/creator/Creators"
import { WebhookAdministration } from "@partner-commentary/core/webhook/WebhookAdministration"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "./Database.ts"
import * as Logs from "./Logs.ts"

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings.read
    const crypto = yield* Effect.promise(() => import("@effect/platform-node/NodeCrypto"))
    return Layer.mergeAll(ApiKeys.layer, Creators.layer, WebhookAdministration.layer).pipe(
      Layer.provideMerge(Database.layer(settings, { listens: false })),
      Layer.provideMerge(Layer.mergeAll(crypto.layerDigest, crypto.layerSecureRandom)),
      Layer.provideMerge(Logs.layer(settings, "warn"))
    )
  })
)

/** A change and its record in the audit log: both or none. */
export const together = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.catchTag(sql.withTransaction(change), "SqlError", (error) => Effect.die(error))
  )
