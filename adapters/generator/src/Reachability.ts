/** Checks that an OpenAI-compatible server answers and accepts the key, by the cheapest request: its list of models. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as OpenAiServer from "./OpenAiServer.ts"
import type { Refusal } from "./Refusal.ts"

/** `untried`: the server answers, but has no list of models, so the key was not checked. */
export type Reached = "accepted" | "untried"

const noSuchList = [404, 405, 501]

export const check = (server: OpenAiServer.Server, time: Duration.Duration): Effect.Effect<Reached, Refusal> =>
  Effect.flatMap(OpenAiServer.connect(server, { time, size: 1024 * 1024 }), ({ ask, within }) =>
    within(
      ask(HttpClientRequest.get("/models", { acceptJson: true }), (response) =>
        noSuchList.includes(response.status)
          ? Effect.succeed<Reached>("untried")
          : Effect.as(OpenAiServer.json(response), "accepted")
      )
    )
  )
