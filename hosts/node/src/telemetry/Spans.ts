/**
 * Wraps the exporting tracer. The wrapper sets the span ids that a span's annotation requires, and drops the spans of
 * SQL statements unless the settings enable statement spans.
 */
import { SpanIdentity } from "@partner-commentary/core/shared/Subject"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/**
 * Makes a span that is not exported. A dropped span has its parent's ids, so that its child spans become children of
 * the request or job.
 */
const dropped = (options: Parameters<Tracer.Tracer["span"]>[0]): Tracer.Span => {
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
        if (!statements && isOfDatabase(options.name)) return dropped(options)
        const span = inner.span(options)
        const identity = Context.getOrUndefined(options.annotations as Context.Context<SpanIdentity>, SpanIdentity)
        if (identity === undefined) return span
        const { spanId, traceId } = identity
        return Object.defineProperties(span, { spanId: { value: spanId }, traceId: { value: traceId } })
      }
    }))
  )
