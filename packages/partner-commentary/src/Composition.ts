/** Builds the service with Node's cryptography, for every host on Node. */
import { createHmac, createSecretKey } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import * as Composition from "@partner-commentary/server/embedding/Composition"
import * as Mac from "effect/crypto/Mac"
import * as Layer from "effect/Layer"
import * as Randomness from "./Randomness.ts"

/**
 * Signs with a key object instead of the bytes of the key. For a key of bytes, Node 24 creates and drops an error,
 * which takes most of the time of a signature.
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

export const layer = <A, E, R>({ ports, ...parts }: Composition.Parts<A, E, R>) =>
  Composition.layer({ ...parts, ports: Layer.merge(crypto, ports) })
