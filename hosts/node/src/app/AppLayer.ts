/** The core with everything it asks of a host: what serves and what works run on the same one. It requires what Database gives. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as Core from "@partner-commentary/core/Core"
import { Policy } from "@partner-commentary/core/shared/Policy"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerLoops"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DeliveryMetrics from "../telemetry/DeliveryMetrics.ts"
import * as Adapters from "./Adapters.ts"
import * as DataFolder from "./DataFolder.ts"
import * as Media from "./Media.ts"
import * as Randomness from "./Randomness.ts"

export const layer = (settings: Settings, apiRoot: string) =>
  Core.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.effect(SigningSecrets, DataFolder.signingSecrets(settings)),
        PublicAddress.layerAnywhere(apiRoot),
        Layer.succeed(Policy, settings.policy),
        Layer.succeed(TrustedProxies, settings.trustedProxies),
        Layer.effect(
          WorkerSettings,
          Effect.map(WorkerSettings, (usual) => ({
            ...usual,
            pollInterval: settings.pollInterval,
            // Nothing that a worker has taken waits for a connection.
            mails: settings.mail.connections
          }))
        ),
        Adapters.layer(settings),
        Media.layer(settings, apiRoot),
        DeliveryMetrics.layer,
        NodeCrypto.layerAead,
        NodeCrypto.layerDigest,
        NodeCrypto.layerKdf,
        NodeCrypto.layerMac,
        Randomness.layer
      )
    )
  )
