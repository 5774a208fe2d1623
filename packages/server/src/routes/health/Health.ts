/**
 * Serves the health checks: whether the process runs, and whether the database accepts a write. The health routes are
 * not part of the partner API and have no rate limits.
 */
import { DatabaseHealth } from "@partner-commentary/core/operations/DatabaseHealth"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Envelope from "../../http/Envelope.ts"

const live = HttpRouter.add("GET", "/healthz", Envelope.makeSuccessResponse({ status: "ok" }))

const ready = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { check } = yield* DatabaseHealth
    yield* router.add(
      "GET",
      "/readyz",
      Effect.match(check, {
        onSuccess: () => Envelope.makeSuccessResponse({ status: "ready" }),
        onFailure: ({ message }) =>
          HttpServerResponse.setStatus(Envelope.makeSuccessResponse({ status: "unavailable", reason: message }), 503)
      })
    )
  })
)

export const layer = Layer.merge(live, ready)
