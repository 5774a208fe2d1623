/**
 * The port that stores media where partners can fetch them. The port is optional: without it the service makes no
 * media.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Medium } from "./MediaSynthesizer.ts"

/** The file was not stored. `permanent`: a retry cannot succeed (bad credentials, missing bucket). */
export class StorageFailed extends Schema.TaggedError<StorageFailed>()("StorageFailed", {
  permanent: Schema.Boolean,
  /** For the operator, without credentials. */
  reason: Schema.String
}) {}

export interface FileStorage {
  /**
   * Stores the file under a public, unguessable URL and returns the URL. Storing the same name again replaces the file
   * and returns the same URL. The replacement is atomic: readers never get a partial file. The adapter limits the time
   * to 25 seconds. A name is 32 ASCII letters and digits, a dot, and an extension of 3 or 4 lower-case letters or
   * digits.
   */
  readonly put: (name: string, medium: Medium) => Effect.Effect<string, StorageFailed>
}

export const MediaStorage = Context.Reference<FileStorage | null>("@partner-commentary/reference/MediaStorage", {
  defaultValue: () => null
})
