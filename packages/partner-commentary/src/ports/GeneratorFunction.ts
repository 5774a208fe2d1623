/** Implements CommentaryGenerator by calling an async function of the application. */
import {
  type CommentaryGenerationRequest,
  CommentaryGenerator,
  GenerationFailed,
  maxGenerationTime
} from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as CommentaryText from "@partner-commentary/generator/CommentaryText"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { callHostFunction, type HostFunctionContext, makeResultDecoder } from "./HostFunction.ts"

/**
 * Writes a commentary and resolves with its plain text. If the function throws an error, the service retries later,
 * unless the error has `permanent: true`.
 */
export type GenerateCommentary = (
  request: CommentaryGenerationRequest,
  context: HostFunctionContext
) => string | PromiseLike<string>

const text = makeResultDecoder(Schema.String)

export const layer = (generate: GenerateCommentary) =>
  Layer.succeed(CommentaryGenerator, {
    generate: Effect.fn("CommentaryGenerator.generate")(function* (request: CommentaryGenerationRequest) {
      const answer = Effect.flatMap(
        callHostFunction((context) => generate(request, context), maxGenerationTime),
        text
      )
      const written = yield* Effect.mapError(answer, (failure) => new GenerationFailed(failure))
      return yield* Effect.fromResult(CommentaryText.cleanAndValidateCommentary(written, request))
    })
  })
