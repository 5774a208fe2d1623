/** When a topic counts as the same as one sent before: the fingerprint of its content. */
import type * as Digest from "effect/crypto/Digest"
import type * as Effect from "effect/Effect"
import { hash } from "../shared/Secret.ts"

/** Unicode NFKC, trimmed, inner white space as one space, lower case. */
export const normalize = (content: string): string =>
  content.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase()

/** SHA-256 of the normalized content, in hex. */
export const fingerprint = (digest: Digest.Digest["Service"], content: string): Effect.Effect<string> =>
  hash(digest, normalize(content))
