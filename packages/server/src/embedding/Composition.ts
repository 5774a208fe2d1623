/** Builds the layer of the core package from its ports and from the settings that every host provides. */
import type * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import * as Core from "@partner-commentary/core/Core"
import { Policy } from "@partner-commentary/core/shared/Policy"
import type { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import type { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TrustedProxies } from "../http/ClientAddress.ts"
import { WorkerSettings } from "../workers/WorkerSettings.ts"

export interface CoreLayerOptions<A, E, R> {
  readonly address: Layer.Layer<PublicAddress>
  readonly secrets: Layer.Layer<SigningSecrets, E>
  readonly policy: Policy
  /**
   * The proxies whose `X-Forwarded-For` header is trusted. If `trustedProxies` is omitted, the value from the
   * surrounding context applies.
   */
  readonly trustedProxies?: IpAllowList.IpAllowList
  /** The worker settings that differ from the defaults. */
  readonly workers: Partial<Effect.Success<typeof WorkerSettings>>
  /**
   * The layers for cryptography, for other systems and for the stores. `ports` may omit the stores if the surrounding
   * context provides the stores.
   */
  readonly ports: Layer.Layer<A, E, R>
}

export const layer = <A, E, R>({
  address,
  policy,
  ports,
  secrets,
  trustedProxies,
  workers
}: CoreLayerOptions<A, E, R>) =>
  Core.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        address,
        secrets,
        Layer.succeed(Policy, policy),
        trustedProxies === undefined ? Layer.empty : Layer.succeed(TrustedProxies, trustedProxies),
        Layer.succeed(WorkerSettings, { ...WorkerSettings.defaultValue(), ...workers }),
        ports
      )
    )
  )
