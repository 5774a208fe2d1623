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

const unavailable = (reason: string) =>
  HttpServerResponse.setStatus(Envelope.makeSuccessResponse({ status: "unavailable", reason }), 503)

const ready = (isStarted: () => boolean) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { check } = yield* DatabaseHealth
      const checked = Effect.match(check, {
        onSuccess: () => Envelope.makeSuccessResponse({ status: "ready" }),
        onFailure: ({ message }) => unavailable(message)
      })
      const starting = Effect.succeed(unavailable("Not all processes of the service listen yet."))
      yield* router.add(
        "GET",
        "/readyz",
        Effect.suspend(() => (isStarted() ? checked : starting))
      )
    })
  )

/** While `isStarted` returns false, `/readyz` is 503. */
export const layerWith = (isStarted: () => boolean) => Layer.merge(live, ready(isStarted))

export const layer = layerWith(() => true)
