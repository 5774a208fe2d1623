/** Checks that an OpenAI-compatible server answers and accepts the key, by the cheapest request: its list of models. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as OpenAiServer from "./OpenAiServer.ts"
import type { ServerRefusal } from "./Refusal.ts"

/** `untried`: the server answers but has no list of models, so the key could not be checked. */
export type ReachabilityResult = "accepted" | "untried"

const noSuchList = [404, 405, 501]

export const checkReachability = (
  server: OpenAiServer.OpenAiServer,
  time: Duration.Duration
): Effect.Effect<ReachabilityResult, ServerRefusal> =>
  Effect.flatMap(OpenAiServer.connectToServer(server, { time, size: 1024 * 1024 }), ({ ask, within }) =>
    within(
      ask(HttpClientRequest.get("/models", { acceptJson: true }), (response) =>
        noSuchList.includes(response.status)
          ? Effect.succeed<ReachabilityResult>("untried")
          : Effect.as(OpenAiServer.readJson(response), "accepted")
      )
    )
  )
