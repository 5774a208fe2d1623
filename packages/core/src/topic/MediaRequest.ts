/** A request to produce audio or video after an approval. The topic's output types determine the requested media. */
import * as Schema from "effect/Schema"

/** The output types except text. */
export const MediaKind = Schema.Literals(["audio", "video"])
export type MediaKind = typeof MediaKind.Type

export interface MediaRequest {
  readonly kind: MediaKind
  /**
   * The file name without extension. The file name is unguessable. Every attempt uses the same file name, so a retry
   * replaces the file.
   */
  readonly name: string
}
