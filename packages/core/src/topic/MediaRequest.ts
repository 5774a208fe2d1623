/** Audio or video that is made after an approval if the topic's output types include it. */
import * as Schema from "effect/Schema"

/** Output types other than text. */
export const MediaKind = Schema.Literals(["audio", "video"])
export type MediaKind = typeof MediaKind.Type

export interface MediaRequest {
  readonly kind: MediaKind
  /** Unguessable, and the same on every attempt, so that a retry replaces the file. Without extension. */
  readonly name: string
}
