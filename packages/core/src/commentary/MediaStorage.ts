/** The port that keeps media where partners fetch them. None is mounted unless a host does; without it, none are made. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Medium } from "./MediaSynthesizer.ts"

/** Nothing was stored that anybody could fetch. `permanent`: trying again is pointless (bad credentials, no such bucket). */
export class StorageFailed extends Schema.TaggedError<StorageFailed>()("StorageFailed", {
  permanent: Schema.Boolean,
  /** For the operator, without credentials. */
  reason: Schema.String
}) {}

export interface Storage {
  /**
   * Answers with the URL that it is fetched at from then on, by who knows it: whole, with its content type. The same name again
   * replaces what it held and has the same URL; until then, and when it fails, nobody is served a part. Bounded in time by the
   * adapter, 25 seconds at most. A name is 32 ASCII letters and digits, a dot, and 3 or 4 of them in
   * lower case.
   */
  readonly put: (name: string, medium: Medium) => Effect.Effect<string, StorageFailed>
}

export const MediaStorage = Context.Reference<Storage | null>("@partner-commentary/core/commentary/MediaStorage", {
  defaultValue: () => null
})
