/**
 * Wraps the exporter's tracer, so that some spans are dropped or get predefined ids. For a span whose annotations
 * contain a `PredefinedSpanIds`, the wrapper sets the ids that are derived from the topic or event. Spans of SQL
 * statements are dropped unless the settings enable these spans.
 */
import { PredefinedSpanIds } from "@partner-commentary/core/shared/LogContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** A dropped span uses the ids of its parent, so the dropped span's children become children of the request or job. */
const makeDroppedSpan = (options: Parameters<Tracer.Tracer["span"]>[0]): Tracer.Span => {
  const parent = Option.getOrUndefined(options.parent)
  if (parent === undefined) return new Tracer.NativeSpan({ ...options, sampled: false })
  return Object.defineProperties(new Tracer.NativeSpan(options), {
    spanId: { value: parent.spanId },
    traceId: { value: parent.traceId },
    addLinks: { value: (links: ReadonlyArray<Tracer.SpanLink>) => parent._tag === "Span" && parent.addLinks(links) }
  })
}

const isOfDatabase = (name: string) => name.startsWith("sql.") || name === "sqlite" || name === "postgresql"

export const layer = (statements: boolean) =>
  Layer.effect(
    Tracer.Tracer,
    Effect.map(Tracer.Tracer, (inner) => ({
      ...inner,
      span: (options) => {
        if (!statements && isOfDatabase(options.name)) return makeDroppedSpan(options)
        const span = inner.span(options)
        const identity = Context.getOrUndefined(
          options.annotations as Context.Context<PredefinedSpanIds>,
          PredefinedSpanIds
        )
        if (identity === undefined) return span
        const { spanId, traceId } = identity
        return Object.defineProperties(span, { spanId: { value: spanId }, traceId: { value: traceId } })
      }
    }))
  )
