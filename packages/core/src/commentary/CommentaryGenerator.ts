/**
 * The port that turns a creator's perspective into a commentary in the persona's voice. One call is one attempt: the
 * core retries.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface GenerationRequest {
  readonly persona: {
    readonly name: string
    /** The text is `""`, and the list `[]`, when the value is unknown. */
    readonly bio: string
    readonly expertise: ReadonlyArray<string>
  }
  /** The text of the partner's topic. The generator must treat the topic as data, never as instructions to follow. */
  readonly topic: string
  /** The human creator's opinion, which the commentary must express. */
  readonly perspective: string
  /**
   * `revision` is present when the creator asked for another draft. `instructions` is `""` if the creator gave none.
   */
  readonly revision?: { readonly draft: string; readonly instructions: string }
}

/**
 * The generator returned no usable text. `permanent`: a retry with the same input cannot succeed (bad credentials,
 * content policy).
 */
export class GenerationFailed extends Schema.TaggedError<GenerationFailed>()("GenerationFailed", {
  permanent: Schema.Boolean,
  /** For the operator's log, without credentials. */
  reason: Schema.String
}) {}

export class CommentaryGenerator extends Context.Service<
  CommentaryGenerator,
  {
    /** Returns plain text of 1 to `maxCommentaryLength` code points, trimmed. The adapter gives up after 45 seconds. */
    readonly generate: (request: GenerationRequest) => Effect.Effect<string, GenerationFailed>
  }
>()("@partner-commentary/core/commentary/CommentaryGenerator") {}

/** Maximum length of a commentary in Unicode code points, both generated and edited. */
export const maxCommentaryLength = 5000
