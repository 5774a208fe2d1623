/**
 * A local generator whose drafts a test can delay, to inspect the creator's page while a draft is still being written.
 */
import { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as LocalGenerator from "@partner-commentary/generator/LocalGenerator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

export class HeldGenerator extends Context.Service<
  HeldGenerator,
  {
    /** Holds all drafts that are requested from now on. */
    readonly hold: Effect.Effect<unknown>
    /** Lets the held drafts and all later drafts continue. */
    readonly release: Effect.Effect<unknown>
  }
>()("@partner-commentary/test/HeldGenerator") {
  static readonly layer: Layer.Layer<HeldGenerator | CommentaryGenerator> = Layer.effectContext(
    Effect.gen(function* () {
      const local = yield* CommentaryGenerator
      const latch = yield* Latch.make(true)
      const held = HeldGenerator.of({ hold: Latch.close(latch), release: Latch.open(latch) })
      const generator = CommentaryGenerator.of({ generate: (request) => latch.whenOpen(local.generate(request)) })
      return Context.make(HeldGenerator, held).pipe(Context.add(CommentaryGenerator, generator))
    })
  ).pipe(Layer.provide(LocalGenerator.layer))
}
