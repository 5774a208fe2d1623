/** Detects duplicate topics by a fingerprint of their content. */
import type * as Digest from "effect/crypto/Digest"
import type * as Effect from "effect/Effect"
import { hash } from "../shared/Secret.ts"

/** Applies Unicode NFKC, trims the text, collapses white space to one space, and changes it to lower case. */
export const normalize = (content: string): string =>
  content.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase()

/** Returns the SHA-256 of the normalized content, in hex. */
export const fingerprint = (digest: Digest.Digest["Service"], content: string): Effect.Effect<string> =>
  hash(digest, normalize(content))
