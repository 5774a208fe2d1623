/** Detects duplicate topics by a fingerprint of their content. */
import type * as Digest from "effect/crypto/Digest"
import type * as Effect from "effect/Effect"
import { hashText } from "../shared/Secret.ts"

/**
 * Normalizes the text: applies Unicode NFKC, trims, replaces white space with one space, and converts to lower case.
 */
export const normalizeContent = (content: string): string =>
  content.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase()

/** Returns the SHA-256 of the normalized content as hexadecimal text. */
export const fingerprintOf = (digest: Digest.Digest["Service"], content: string): Effect.Effect<string> =>
  hashText(digest, normalizeContent(content))
