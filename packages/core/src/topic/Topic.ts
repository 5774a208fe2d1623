/** A topic, the rules for a topic's content and reference, and the fingerprint that detects duplicate topics. */

import type * as Digest from "effect/crypto/Digest"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { OrganizationId, TopicId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import { hashSha256Hex } from "../shared/Secret.ts"
import { countCodePoints, hasForbiddenControlCharacters, hasVisibleCharacter } from "../shared/Text.ts"
import type { TopicCounts, TopicStatus } from "./TopicStatus.ts"

export const OutputType = Schema.Literals(["text", "audio", "video"])
export type OutputType = typeof OutputType.Type

export type TopicMetadata = Schema.JsonObject

export interface Topic {
  readonly id: TopicId
  readonly organizationId: OrganizationId
  /** A copy of the organization's name at submission. Creators see this name as the sender of the topic. */
  readonly organizationName: string
  readonly environment: Environment
  readonly externalReference: string | null
  readonly content: string
  readonly metadata: TopicMetadata
  readonly outputTypes: ReadonlyArray<OutputType>
  /** The webhooks that receive the topic's events; null means all webhooks of the organization. */
  readonly webhookIds: ReadonlyArray<WebhookId> | null
  readonly status: TopicStatus
  readonly counts: TopicCounts
  readonly createdAt: Instant
}

export const maxPersonasPerTopic = 100

/**
 * A reference consists of letters, digits and `-_.:`. The references `.` and `..` are invalid, because URL parsers
 * remove these segments from paths.
 */
export const externalReferencePattern = /^(?!\.{1,2}$)[A-Za-z0-9\-_.:]{1,256}$/

export const isExternalReference = (text: string): boolean => externalReferencePattern.test(text)

/** The limits of a content's length after trimming, in Unicode code points. */
export interface TopicContentLengthLimits {
  readonly min: number
  readonly max: number
}

export const TopicContentProblem = Schema.Literals(["length", "controls", "invisible"])
export type TopicContentProblem = typeof TopicContentProblem.Type

/** Trims the content and returns the problem with the content; null when the content is valid. */
export const findTopicContentProblem = (
  content: string,
  bounds: TopicContentLengthLimits
): TopicContentProblem | null => {
  const trimmed = content.trim()
  const length = countCodePoints(trimmed)
  if (length < bounds.min || length > bounds.max) return "length"
  if (hasForbiddenControlCharacters(trimmed)) return "controls"
  return hasVisibleCharacter(trimmed) ? null : "invisible"
}

/**
 * Normalizes a text: applies Unicode NFKC, trims the text, collapses white space to one space, and converts letters to
 * lower case.
 */
export const normalizeTopicContent = (content: string): string =>
  content.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase()

/** Returns the SHA-256 hash of the normalized content in hex. */
export const calculateTopicFingerprint = (digest: Digest.Digest["Service"], content: string): Effect.Effect<string> =>
  hashSha256Hex(digest, normalizeTopicContent(content))
