/** Audio or video that an approval asks for, where the topic's output types do. */
import * as Schema from "effect/Schema"

/** What may be made of a text beside itself. */
export const MediaKind = Schema.Literals(["audio", "video"])
export type MediaKind = typeof MediaKind.Type

export interface MediaRequest {
  readonly kind: MediaKind
  /** Unguessable, and the same on every attempt, so that storing twice keeps one file. Without the file's extension. */
  readonly name: string
}
