/**
 * The port that stores media at a URL for partners. The port is optional. Without this port, the service makes no
 * media.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Medium } from "./MediaSynthesizer.ts"

/** The storage did not store the file. `permanent`: a retry cannot succeed (bad credentials, missing bucket). */
export class StorageFailed extends Schema.TaggedError<StorageFailed>()("StorageFailed", {
  permanent: Schema.Boolean,
  /** The reason for the operator. The reason contains no credentials. */
  reason: Schema.String
}) {}

export interface FileStorage {
  /**
   * Stores the file under a public, unguessable URL and returns the URL. If the name exists, the call replaces the file
   * atomically and returns the same URL, so readers never get a partial file. The adapter stops after 25 seconds. A
   * name is 32 ASCII letters and digits, a dot, and an extension of 3 or 4 lower-case letters or digits.
   */
  readonly put: (name: string, medium: Medium) => Effect.Effect<string, StorageFailed>
}

export const MediaStorage = Context.Reference<FileStorage | null>("@partner-commentary/reference/MediaStorage", {
  defaultValue: () => null
})
