/** Builds the service with Node's implementations of cryptography. Every host that runs on Node uses this module. */
import { createHmac, createSecretKey } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import * as Composition from "@partner-commentary/server/embedding/Composition"
import * as Mac from "effect/crypto/Mac"
import * as Layer from "effect/Layer"
import * as Randomness from "./Randomness.ts"

/**
 * Passes the key to Node as a key object. If the key is passed as bytes, Node 24 internally creates and discards an
 * error, which takes most of the time of a signature.
 */
const mac = Mac.layerWebCryptoWith({
  hmac: (hash, key, data) =>
    new Uint8Array(createHmac(hash.replace("-", ""), createSecretKey(key)).update(data).digest())
})

const crypto = Layer.mergeAll(
  NodeCrypto.layerAead,
  NodeCrypto.layerDigest,
  NodeCrypto.layerKdf,
  Layer.provideMerge(mac, Randomness.layer)
)

export const layer = <A, E, R>({ ports, ...parts }: Composition.CoreLayerOptions<A, E, R>) =>
  Composition.layer({ ...parts, ports: Layer.merge(crypto, ports) })
