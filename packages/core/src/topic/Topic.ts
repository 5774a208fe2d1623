/** The topic's fields, and the rules for its text and reference. */
import * as Schema from "effect/Schema"
import type { OrganizationId, TopicId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import { countCodePoints, hasControlCharacters, hasReadableCharacter } from "../shared/Text.ts"
import type { TopicCounts, TopicStatus } from "./TopicStatus.ts"

export const OutputType = Schema.Literals(["text", "audio", "video"])
export type OutputType = typeof OutputType.Type

export type Metadata = Schema.JsonObject

export interface Topic {
  readonly id: TopicId
  readonly organizationId: OrganizationId
  /** The organization's name at the time of submission, which creators see. */
  readonly organizationName: string
  readonly environment: Environment
  readonly externalReference: string | null
  readonly content: string
  readonly metadata: Metadata
  readonly outputTypes: ReadonlyArray<OutputType>
  /** The webhooks that receive the topic's events; null means all webhooks of the organization. */
  readonly webhookIds: ReadonlyArray<WebhookId> | null
  readonly status: TopicStatus
  readonly counts: TopicCounts
  readonly createdAt: Instant
}

export const maxPersonas = 100

/**
 * A reference contains letters, digits and `-_.:`. The texts `.` and `..` are invalid, because URL parsers remove them
 * from paths.
 */
export const referencePattern = /^(?!\.{1,2}$)[A-Za-z0-9\-_.:]{1,256}$/

export const isReference = (text: string): boolean => referencePattern.test(text)

/** The minimum and maximum length of trimmed content in Unicode code points. */
export interface TopicBounds {
  readonly min: number
  readonly max: number
}

export const ContentProblem = Schema.Literals(["length", "controls", "invisible"])
export type ContentProblem = typeof ContentProblem.Type

/** Returns the problem with trimmed content; null when the content is valid. */
export const contentProblem = (content: string, bounds: TopicBounds): ContentProblem | null => {
  const trimmed = content.trim()
  const length = countCodePoints(trimmed)
  if (length < bounds.min || length > bounds.max) return "length"
  if (hasControlCharacters(trimmed)) return "controls"
  return hasReadableCharacter(trimmed) ? null : "invisible"
}
