import { assert, it } from "@effect/vitest"
import * as Tracing from "@partner-commentary/core/shared/Tracing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

const ofApplication = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })

it.effect("tracing is off unless the application has set a tracer", () =>
  Effect.gen(function* () {
    const isOn = Effect.gen(function* () {
      return yield* References.TracerEnabled
    })
    assert.isFalse(yield* Effect.provide(isOn, Tracing.layer))
    const traced = Layer.provide(Tracing.layer, Layer.succeed(Tracer.Tracer, ofApplication))
    assert.isTrue(yield* Effect.provide(isOn, traced))
    // A layer that is built once would keep the state of its first use.
    const later = Layer.provide(Layer.effectDiscard(Effect.map(isOn, (is) => assert.isTrue(is))), traced)
    yield* Layer.build(Layer.mergeAll(Layer.provide(Layer.empty, Tracing.layer), later))
  })
)
