/** Exports traces, metrics and logs over OTLP, if the settings enable the export. */
import { hostname } from "node:os"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { productVersion } from "../Version.ts"
import * as Spans from "./Spans.ts"

export const layer = ({ otlp }: Settings) =>
  Option.match(otlp, {
    // Without OTLP, no exporter would read the spans, so the process creates no spans.
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: ({ headers, statements, url }) =>
      Layer.unwrap(
        Effect.gen(function* () {
          const { layerJson } = yield* Effect.promise(() => import("effect/observability/Otlp"))
          const client = yield* Effect.promise(() => import("effect/http/FetchHttpClient"))
          const exported = layerJson({
            baseUrl: url,
            headers: Redacted.value(headers),
            resource: {
              serviceName: "partner-commentary",
              serviceVersion: productVersion,
              // The instance id distinguishes the gauges of several processes.
              attributes: { "service.instance.id": `${hostname()}-${process.pid}` }
            },
            loggerMergeWithExisting: true,
            shutdownTimeout: "2 seconds"
          }).pipe(Layer.provide(client.layer))
          return Spans.layer(statements).pipe(Layer.provideMerge(exported))
        })
      )
  })
