/** The service makes audio or video after an approval, if the topic's output types include audio or video. */
import * as Schema from "effect/Schema"

/** The output types that are not text. */
export const MediaKind = Schema.Literals(["audio", "video"])
export type MediaKind = typeof MediaKind.Type

export interface MediaRequest {
  readonly kind: MediaKind
  /**
   * The file name without extension. The name is unguessable. Every attempt uses the same name, so a retry replaces the
   * file.
   */
  readonly name: string
}
