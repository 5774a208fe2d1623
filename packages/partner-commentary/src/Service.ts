/** Builds the complete service as one Effect layer from the decoded options. */
import * as Policy from "@partner-commentary/core/shared/Policy"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import * as PartialSettings from "@partner-commentary/server/embedding/PartialSettings"
import * as Workers from "@partner-commentary/server/Workers"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerSettings"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Composition from "./Composition.ts"
import { isLayer } from "./LayerOption.ts"
import * as Log from "./Log.ts"
import type { DecodedOptions } from "./Options.ts"
import * as Ports from "./Ports.ts"

export type PartnerCommentaryServices = Layer.Success<ReturnType<typeof layer>>

export const layer = (options: DecodedOptions) => {
  const { apiRoot, policy, proxies, secrets, workers } = options
  const [first, ...others] = secrets
  const webhooks = isLayer(options.webhooks) ? undefined : options.webhooks
  const composed = Composition.layer({
    address: PublicAddress.layer(apiRoot),
    secrets: SigningSecrets.layer(Redacted.make(first), ...others.map((secret) => Redacted.make(secret))),
    policy: PartialSettings.overrideDefaults(
      PartialSettings.overrideDefaults(Policy.defaults, { webhooks: { allowHttp: webhooks?.allowPrivate ?? false } }),
      policy
    ),
    trustedProxies: proxies,
    workers: PartialSettings.overrideDefaults(
      WorkerSettings.defaultValue(),
      Predicate.isBoolean(workers) ? {} : workers
    ),
    ports: Ports.layer(options)
  })
  const whole = workers === false ? composed : Layer.provideMerge(Workers.layer, composed)
  return Layer.provideMerge(whole, Log.layer(options.logger))
}
