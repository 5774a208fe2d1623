/** Turns tracing off where nothing reads the spans. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/**
 * Turns tracing off unless the application has set a tracer. Effect's default tracer creates a span for each request
 * and each statement, but nothing reads these spans. The layer is never shared, because each of its users may have
 * another tracer.
 */
export const layer: Layer.Layer<never> = Layer.fresh(
  Layer.unwrap(
    Effect.map(Tracer.Tracer, (tracer) =>
      tracer === Tracer.nativeTracer ? Layer.succeed(References.TracerEnabled, false) : Layer.empty
    )
  )
)
