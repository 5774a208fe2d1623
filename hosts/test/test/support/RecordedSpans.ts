/** A tracer that stores every span, for tests of the service's traces. */
import * as Tracer from "effect/Tracer"

export const make = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}
