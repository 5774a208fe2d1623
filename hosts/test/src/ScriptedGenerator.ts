/**
 * A generator that immediately returns a draft with the persona's name and the creator's perspective. A test can make
 * generation attempts fail.
 */
import {
  type CommentaryGenerationRequest,
  CommentaryGenerator,
  GenerationFailed
} from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkDrafts } from "./TestOptions.ts"

export class ScriptedGenerator extends Context.Service<
  ScriptedGenerator,
  {
    readonly requests: Effect.Effect<ReadonlyArray<CommentaryGenerationRequest>>
    /** Makes the next generation attempts fail, one attempt for each argument. */
    readonly failNext: (...failures: ReadonlyArray<{ readonly permanent: boolean }>) => Effect.Effect<void>
    /** Sets the texts of the next drafts, one text for each argument. Dies if the port does not allow a text. */
    readonly writeNext: (...texts: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("@partner-commentary/test/ScriptedGenerator") {
  static readonly layer: Layer.Layer<ScriptedGenerator | CommentaryGenerator> = Layer.effectContext(
    Effect.sync(() => {
      const requests: Array<CommentaryGenerationRequest> = []
      const failures: Array<{ readonly permanent: boolean }> = []
      const texts: Array<string> = []
      const scripted = ScriptedGenerator.of({
        requests: Effect.sync(() => [...requests]),
        failNext: (...next) => Effect.sync(() => void failures.push(...next)),
        writeNext: (...next) =>
          Effect.sync(() => {
            checkDrafts(next)
            texts.push(...next)
          })
      })
      const generator = CommentaryGenerator.of({
        generate: (request) =>
          Effect.suspend(() => {
            requests.push(request)
            const failure = failures.shift()
            if (failure !== undefined)
              return Effect.fail(new GenerationFailed({ ...failure, reason: "failed as told" }))
            const text = texts.shift()
            if (text !== undefined) return Effect.succeed(text)
            const { perspective, persona, revision } = request
            const wish = revision === undefined ? "" : ` (${revision.instructions})`
            return Effect.succeed(`${persona.name} says${wish}: ${perspective}`)
          })
      })
      return Context.make(ScriptedGenerator, scripted).pipe(Context.add(CommentaryGenerator, generator))
    })
  )
}
