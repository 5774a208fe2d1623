/**
 * Builds the service from the settings, both for `serve` and for `worker`. The service's layer requires the stores that
 * `Database.ts` provides.
 */
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Layer from "effect/Layer"
import * as Composition from "partner-commentary/Composition"
import * as DeliveryMetrics from "../telemetry/DeliveryMetrics.ts"
import * as LostAttemptMetrics from "../telemetry/LostAttemptMetrics.ts"
import * as Adapters from "./Adapters.ts"
import * as DataFolder from "./DataFolder.ts"
import * as Media from "./Media.ts"

export const layer = (settings: Settings, apiRoot: string) =>
  Layer.provideMerge(LostAttemptMetrics.draftsLayer, service(settings, apiRoot))

const service = (settings: Settings, apiRoot: string) =>
  Composition.layer({
    address: PublicAddress.layerAnywhere(apiRoot),
    secrets: Layer.effect(SigningSecrets, DataFolder.loadOrCreateSecrets(settings)),
    policy: settings.policy,
    trustedProxies: settings.trustedProxies,
    // The connection pool is large enough that no claimed job waits for a database connection.
    workers: { ...settings.workers, mails: settings.mail.connections },
    ports: Layer.mergeAll(
      Adapters.layer(settings),
      Media.layer(settings, apiRoot),
      DeliveryMetrics.layer,
      LostAttemptMetrics.mediaLayer(settings.policy)
    )
  })
