/** Around the tracer that exports: gives spans the ids that their subject asks for, and leaves out statements unless they are asked for. */
import { SpanIdentity } from "@partner-commentary/core/shared/Subject"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** Stands for the span that it is within: what is within a transaction belongs to its request or job. */
const left = (options: Parameters<Tracer.Tracer["span"]>[0]): Tracer.Span => {
  const within = Option.getOrUndefined(options.parent)
  if (within === undefined) return new Tracer.NativeSpan({ ...options, sampled: false })
  return Object.defineProperties(new Tracer.NativeSpan(options), {
    spanId: { value: within.spanId },
    traceId: { value: within.traceId },
    addLinks: { value: (links: ReadonlyArray<Tracer.SpanLink>) => within._tag === "Span" && within.addLinks(links) }
  })
}

const isOfDatabase = (name: string) => name.startsWith("sql.") || name === "sqlite" || name === "postgresql"

export const layer = (statements: boolean) =>
  Layer.effect(
    Tracer.Tracer,
    Effect.map(Tracer.Tracer, (inner) => ({
      ...inner,
      span: (options) => {
        if (!statements && isOfDatabase(options.name)) return left(options)
        const span = inner.span(options)
        const identity = Context.getOrUndefined(options.annotations as Context.Context<SpanIdentity>, SpanIdentity)
        if (identity === undefined) return span
        const { spanId, traceId } = identity
        return Object.defineProperties(span, { spanId: { value: spanId }, traceId: { value: traceId } })
      }
    }))
  )
