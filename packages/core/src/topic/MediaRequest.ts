/** Audio or video that the service makes after an approval if the topic's output types include it. */
import * as Schema from "effect/Schema"

/** Output types other than text. */
export const MediaKind = Schema.Literals(["audio", "video"])
export type MediaKind = typeof MediaKind.Type

export interface MediaRequest {
  readonly kind: MediaKind
  /** The name is unguessable, and the same on every attempt, so that a retry replaces the file. Without extension. */
  readonly name: string
}
