/** Detects duplicate topics by a fingerprint of their content. */
import type * as Digest from "effect/crypto/Digest"
import type * as Effect from "effect/Effect"
import { hash } from "../shared/Secret.ts"

/** Unicode NFKC, trimmed, white space collapsed to one space, lower case. */
export const normalize = (content: string): string =>
  content.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase()

/** SHA-256 of the normalized content, in hex. */
export const fingerprint = (digest: Digest.Digest["Service"], content: string): Effect.Effect<string> =>
  hash(digest, normalize(content))
