/** The generator without a server. It uses the core's local commentary, as simulated creators do. */
import { CommentaryGenerator, type GenerationRequest } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { composeLocalCommentary } from "@partner-commentary/core/commentary/LocalCommentary"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const layer: Layer.Layer<CommentaryGenerator> = Layer.succeed(CommentaryGenerator, {
  generate: Effect.fn("CommentaryGenerator.generate")((request: GenerationRequest) =>
    Effect.sync(() => composeLocalCommentary(request))
  )
})
