/**
 * Generates commentaries with an OpenAI-compatible server. Each call sends one request without retries, because the
 * core retries failed calls. `Prompt` makes the request, `OpenAiServer` sends the request, and `CommentaryText` checks
 * the text.
 */
import {
  type CommentaryGenerationRequest,
  CommentaryGenerator,
  GenerationFailed,
  maxGenerationTime
} from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as ChatCompletion from "./ChatCompletion.ts"
import * as CommentaryText from "./CommentaryText.ts"
import * as OpenAiServer from "./OpenAiServer.ts"
import * as Prompt from "./Prompt.ts"

export interface OpenAiGeneratorOptions extends OpenAiServer.OpenAiEndpoint {
  readonly model: string
  /**
   * The time limit from the start of the generation call to the last byte of the response. The default time limit and
   * the maximum are 45 seconds.
   */
  readonly timeout?: Duration.Duration
}

const largestAnswer = 1024 * 1024

export const layer = (options: OpenAiGeneratorOptions): Layer.Layer<CommentaryGenerator> =>
  Layer.effect(
    CommentaryGenerator,
    Effect.gen(function* () {
      const time = Duration.min(options.timeout ?? maxGenerationTime, maxGenerationTime)
      const server = yield* OpenAiServer.connectToServer(options, { time, size: largestAnswer })
      const generate = Effect.fn("CommentaryGenerator.generate")(function* (request: CommentaryGenerationRequest) {
        const question = HttpClientRequest.post("/chat/completions", { acceptJson: true }).pipe(
          HttpClientRequest.bodyJsonUnsafe({ model: options.model, messages: Prompt.makePromptMessages(request) })
        )
        const answer = yield* server.sendRequest(question, OpenAiServer.readJson)
        const text = yield* Effect.fromResult(ChatCompletion.readCompletionText(answer))
        return yield* Effect.fromResult(CommentaryText.cleanAndValidateCommentary(text, request))
      })
      return CommentaryGenerator.of({
        generate: (request) =>
          Effect.mapError(server.withTimeLimit(generate(request)), (refusal) => new GenerationFailed(refusal))
      })
    })
  )
