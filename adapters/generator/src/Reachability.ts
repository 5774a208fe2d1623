/**
 * Checks that an OpenAI-compatible server responds and accepts the key. The check requests the list of models, because
 * the server generates nothing for this request.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as OpenAiServer from "./OpenAiServer.ts"
import type { OpenAiFailure } from "./Refusal.ts"

/** `untried` means that the server responds but has no list of models, so the check could not test the key. */
export type OpenAiReachability = "accepted" | "untried"

const noSuchList = [404, 405, 501]

export const checkOpenAiReachability = (
  server: OpenAiServer.OpenAiEndpoint,
  time: Duration.Duration
): Effect.Effect<OpenAiReachability, OpenAiFailure> =>
  Effect.flatMap(OpenAiServer.connectToServer(server, { time, size: 1024 * 1024 }), ({ sendRequest, withTimeLimit }) =>
    withTimeLimit(
      sendRequest(HttpClientRequest.get("/models", { acceptJson: true }), (response) =>
        noSuchList.includes(response.status)
          ? Effect.succeed<OpenAiReachability>("untried")
          : Effect.as(OpenAiServer.readJson(response), "accepted")
      )
    )
  )
