/** The port that turns a creator's perspective into a commentary in the persona's voice. One call is one attempt: retrying is the core's. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface GenerationRequest {
  readonly persona: {
    readonly name: string
    /** `""` and `[]` where nothing is known. */
    readonly bio: string
    readonly expertise: ReadonlyArray<string>
  }
  /** The partner's text: data to write about, never instructions to follow. */
  readonly topic: string
  /** What the human creator thinks: the opinion that the commentary must express. */
  readonly perspective: string
  /** Present when the creator asked for another draft; `instructions` is `""` when they said nothing more. */
  readonly revision?: { readonly draft: string; readonly instructions: string }
}

/** No usable text came. `permanent`: trying again with the same input is pointless (bad credentials, content policy). */
export class GenerationFailed extends Schema.TaggedError<GenerationFailed>()("GenerationFailed", {
  permanent: Schema.Boolean,
  /** For the operator's log, without credentials. */
  reason: Schema.String
}) {}

export class CommentaryGenerator extends Context.Service<
  CommentaryGenerator,
  {
    /** Answers with plain text of 1 to `maxCommentaryLength` code points, trimmed. Bounded in time by the adapter (45 seconds at most). */
    readonly generate: (request: GenerationRequest) => Effect.Effect<string, GenerationFailed>
  }
>()("@partner-commentary/core/commentary/CommentaryGenerator") {}

/** The longest commentary in Unicode code points, whether generated or edited by its creator. */
export const maxCommentaryLength = 5000
