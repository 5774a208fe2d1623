/** The service with Node's cryptography, for every host on Node. */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import * as Composition from "@partner-commentary/server/embedding/Composition"
import * as Layer from "effect/Layer"
import * as Randomness from "./Randomness.ts"

const crypto = Layer.mergeAll(
  NodeCrypto.layerAead,
  NodeCrypto.layerDigest,
  NodeCrypto.layerKdf,
  NodeCrypto.layerMac,
  Randomness.layer
)

export const layer = <A, E, R>({ ports, ...parts }: Composition.Parts<A, E, R>) =>
  Composition.layer({ ...parts, ports: Layer.merge(crypto, ports) })
