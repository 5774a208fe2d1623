/** Detects duplicate topics by a fingerprint of their content. */
import type * as Digest from "effect/crypto/Digest"
import type * as Effect from "effect/Effect"
import { hashSha256Hex } from "../shared/Secret.ts"

/**
 * Normalizes a text: applies Unicode NFKC, trims the text, collapses white space to one space, and converts letters to
 * lower case.
 */
export const normalizeTopicContent = (content: string): string =>
  content.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase()

/** Returns the SHA-256 hash of the normalized content in hex. */
export const calculateTopicFingerprint = (digest: Digest.Digest["Service"], content: string): Effect.Effect<string> =>
  hashSha256Hex(digest, normalizeTopicContent(content))
