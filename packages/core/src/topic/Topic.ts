/** What a partner asks about, and the rules that its text and reference obey. */
import * as Schema from "effect/Schema"
import type { OrganizationId, TopicId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import { codePoints, hasControls, isReadable } from "../shared/Text.ts"
import type { TopicCounts, TopicStatus } from "./TopicStatus.ts"

export const OutputType = Schema.Literals(["text", "audio", "video"])
export type OutputType = typeof OutputType.Type

export type Metadata = Schema.JsonObject

export interface Topic {
  readonly id: TopicId
  readonly organizationId: OrganizationId
  /** As it was at submission: creators are shown who asked. */
  readonly organizationName: string
  readonly environment: Environment
  readonly externalReference: string | null
  readonly content: string
  readonly metadata: Metadata
  readonly outputTypes: ReadonlyArray<OutputType>
  readonly status: TopicStatus
  readonly counts: TopicCounts
  readonly createdAt: Instant
}

export const maxPersonas = 100

/** Letters, digits and `-_.:`, and not one of the two that every address parser eats. */
export const referencePattern = /^(?!\.{1,2}$)[A-Za-z0-9\-_.:]{1,256}$/

export const isReference = (text: string): boolean => referencePattern.test(text)

/** Of a content's length in Unicode code points, after trimming. */
export interface TopicBounds {
  readonly min: number
  readonly max: number
}

export const ContentProblem = Schema.Literals(["length", "controls", "invisible"])
export type ContentProblem = typeof ContentProblem.Type

/** What is wrong with a content, which is trimmed before it is judged; null when nothing is. */
export const contentProblem = (content: string, bounds: TopicBounds): ContentProblem | null => {
  const trimmed = content.trim()
  const length = codePoints(trimmed)
  if (length < bounds.min || length > bounds.max) return "length"
  if (hasControls(trimmed)) return "controls"
  return isReadable(trimmed) ? null : "invisible"
}
