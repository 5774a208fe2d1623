/**
 * The port that stores media files where partners can download them. A service without a media storage makes no media.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MediaFile } from "./MediaSynthesizer.ts"

/**
 * The file was not stored. If `permanent` is true, a retry cannot succeed, for example because the credentials are
 * wrong.
 */
export class StorageFailed extends Schema.TaggedError<StorageFailed>()("StorageFailed", {
  permanent: Schema.Boolean,
  /** The reason of the failure, for the operator's log. The reason contains no credentials. */
  reason: Schema.String
}) {}

export interface FileStorage {
  /**
   * Stores the file under a public, unguessable URL and returns the URL. A second call with the same name replaces the
   * file and returns the same URL. `put` replaces the file atomically, so readers never get a partial file. The adapter
   * limits a call to `maxStorageTime`. A name has 32 ASCII letters and digits, a dot and an extension. The extension
   * has 3 or 4 lower-case letters or digits.
   */
  readonly put: (name: string, medium: MediaFile) => Effect.Effect<string, StorageFailed>
}

/** The longest duration of a call. The lease of a media job must be longer than a synthesis and a storage call. */
export const maxStorageTime = Duration.seconds(25)

export const MediaStorage = Context.Reference<FileStorage | null>("@partner-commentary/reference/MediaStorage", {
  defaultValue: () => null
})
