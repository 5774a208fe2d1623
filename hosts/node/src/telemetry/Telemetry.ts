/**
 * If the settings enable telemetry, updates metrics for OTLP and serves health checks and metrics at the admin address.
 */
import * as Health from "@partner-commentary/server/routes/health/Health"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { ClusterMembership } from "../processes/ProcessGroup.ts"
import * as Listener from "../server/Listener.ts"
import * as Logs from "./Logs.ts"
import * as Metrics from "./Metrics.ts"

/** Returns whether OTLP or the admin address is configured. */
export const isTelemetryEnabled = ({ admin, otlp }: Settings): boolean =>
  Option.isSome(otlp) || Option.isSome(admin.port)

/** The interval between gauge updates for OTLP, which exports metrics every 10 seconds. */
const period = "5 seconds"

/** Updates the gauges for OTLP and serves the admin address until the scope closes. */
export const startTelemetry = Effect.fnUntraced(function* (settings: Settings) {
  if (!isTelemetryEnabled(settings)) return
  const refresh = yield* Metrics.makeGaugeRefresh
  if (Option.isSome(settings.otlp)) yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(period)))
  const { host, port } = settings.admin
  if (Option.isSome(port)) yield* serve(host, port.value, refresh)
})

const serve = Effect.fnUntraced(function* (host: string, wanted: number, refresh: Effect.Effect<void>) {
  const prometheus = yield* Effect.promise(() => import("effect/observability/PrometheusMetrics"))
  const { open, port, server } = yield* Listener.bindPort(host, wanted, "ADMIN_PORT")
  const { isMember, isStarted, shareMetrics } = yield* ClusterMembership
  const collect = yield* shareMetrics(Effect.andThen(refresh, prometheus.format()))
  const metrics = HttpRouter.add(
    "GET",
    "/metrics",
    Effect.map(collect, (text) =>
      HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
    )
  )
  yield* Layer.build(
    HttpRouter.serve(Layer.merge(metrics, Health.layerWith(isStarted)), {
      disableLogger: true,
      disableListenLog: true
    }).pipe(Layer.provide(Layer.succeed(HttpServer.HttpServer, server)))
  )
  yield* open
  if (!isMember) yield* Logs.logMetricsAddress(host, port)
})
