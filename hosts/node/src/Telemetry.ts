/** Traces, metrics and logs by OTLP, and metrics for Prometheus on loopback, each only where it is asked for. */

import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Listener from "./Listener.ts"
import * as Metrics from "./Metrics.ts"

/** Whether anybody watches this process. */
export const isWatched = (settings: Settings): boolean =>
  Option.isSome(settings.otlp) || Option.isSome(settings.adminPort)

export const layer = ({ otlp }: Settings) =>
  Option.match(otlp, {
    // Nobody would see the spans, and each costs.
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: (baseUrl) =>
      Layer.unwrap(
        Effect.gen(function* () {
          const { layerJson } = yield* Effect.promise(() => import("effect/observability/Otlp"))
          const client = yield* Effect.promise(() => import("effect/http/FetchHttpClient"))
          return layerJson({
            baseUrl,
            resource: { serviceName: "partner-commentary" },
            loggerMergeWithExisting: true,
            shutdownTimeout: "2 seconds"
          }).pipe(Layer.provide(client.layer))
        })
      )
  })

/** Serves `/metrics` for as long as the scope is open. */
export const admin = Effect.fnUntraced(function* ({ adminPort }: Settings) {
  if (Option.isNone(adminPort)) return
  const prometheus = yield* Effect.promise(() => import("effect/observability/PrometheusMetrics"))
  const { open, port, server } = yield* Listener.bind("127.0.0.1", adminPort.value, "ADMIN_PORT")
  const look = yield* Metrics.look
  const metrics = HttpRouter.add(
    "GET",
    "/metrics",
    Effect.map(Effect.andThen(look, prometheus.format()), (text) =>
      HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
    )
  )
  yield* Layer.build(
    HttpRouter.serve(metrics, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provide(Layer.succeed(HttpServer.HttpServer, server))
    )
  )
  yield* open
  yield* Effect.logInfo(`Metrics at http://127.0.0.1:${port}/metrics`)
})
