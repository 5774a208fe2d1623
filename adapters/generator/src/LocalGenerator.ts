/**
 * Generates drafts without a server. The text comes from `composeLocalCommentary` of the core, which also writes the
 * drafts of simulated creators.
 */
import {
  type CommentaryGenerationRequest,
  CommentaryGenerator
} from "@partner-commentary/core/commentary/CommentaryGenerator"
import { composeLocalCommentary } from "@partner-commentary/core/commentary/LocalCommentary"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const layer: Layer.Layer<CommentaryGenerator> = Layer.succeed(CommentaryGenerator, {
  generate: Effect.fn("CommentaryGenerator.generate")((request: CommentaryGenerationRequest) =>
    Effect.sync(() => composeLocalCommentary(request))
  )
})
