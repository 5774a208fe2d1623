/** `partner-commentary`: the whole service for an application that need not know Effect. */
import * as Policy from "@partner-commentary/core/shared/Policy"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import * as Embedded from "@partner-commentary/server/Embedded"
import * as NodeListener from "@partner-commentary/server/NodeListener"
import * as Workers from "@partner-commentary/server/Workers"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerSettings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Composition from "./Composition.ts"
import * as Figures from "./Figures.ts"
import { isLayer } from "./LayerOption.ts"
import * as Log from "./Log.ts"
import { type Decoded, decoded, type Options } from "./Options.ts"
import { PartnerCommentaryError, startFailed } from "./PartnerCommentaryError.ts"
import * as Ports from "./Ports.ts"

/** A service. Nothing of it runs before the first call. */
export interface PartnerCommentary {
  /** Answers a request of the Web standard. Tell who connected as `sent.address`; without it, nobody is counted by address. */
  readonly fetch: Embedded.Embedded["fetch"]
  /** A listener for Node's server and for Express. Mount it before anything that reads bodies. */
  readonly node: (
    request: NodeListener.NodeRequest,
    response: NodeListener.NodeResponse,
    next?: unknown
  ) => Promise<void>
  /** Opens the database and starts the workers. Rejects with a PartnerCommentaryError where that fails; call it again to retry. */
  readonly start: () => Promise<void>
  /** Ends workers, connections and the database. */
  readonly stop: () => Promise<void>
  /** The same service for an application of Effect: every use case and store. */
  readonly layer: ReturnType<typeof layerOf>
}

/**
 * The whole service. Throws a PartnerCommentaryError with the code `invalid_option` where an option is wrong.
 *
 * ```ts
 * export const pc = partnerCommentary({ url: "https://app.example/commentary", secret, database, mail, generator })
 * app.use("/commentary", pc.node)
 * await pc.start()
 * ```
 */
export const partnerCommentary = (options: Options): PartnerCommentary => {
  const chosen = Result.getOrThrow(decoded(options))
  const layer = layerOf(chosen)
  const service = Embedded.open(layer)
  const report = (error: unknown) => {
    Effect.runFork(Effect.provide(Effect.logError("A request was not answered", error), Log.layer(chosen.logger)))
  }
  return {
    fetch: service.fetch,
    node: NodeListener.make(service, report),
    start: () => service.begin().catch((error) => Promise.reject(startFailed("The service", error))),
    stop: service.dispose,
    layer
  }
}

const layerOf = (options: Decoded) => {
  const { apiRoot, policy, proxies, secrets, workers } = options
  const [first, ...others] = secrets
  const webhooks = isLayer(options.webhooks) ? undefined : options.webhooks
  const composed = Composition.layer({
    address: PublicAddress.layer(apiRoot),
    secrets: SigningSecrets.layer(Redacted.make(first), ...others.map((secret) => Redacted.make(secret))),
    policy: Figures.over(
      Figures.over(Policy.defaults, { webhooks: { allowHttp: webhooks?.allowPrivate ?? false } }),
      policy
    ),
    trustedProxies: proxies,
    workers: Figures.over(WorkerSettings.defaultValue(), Predicate.isBoolean(workers) ? {} : workers),
    ports: Ports.layer(options)
  })
  const whole = workers === false ? composed : Layer.provideMerge(Workers.layer, composed)
  return Layer.provideMerge(whole, Log.layer(options.logger))
}

export type { Options }
export { PartnerCommentaryError }
