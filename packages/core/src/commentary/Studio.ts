/** Makes the audio and video that are due, and remembers what became of each. The text's own status is never its business. */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { checking, latestDue } from "../shared/DueTimes.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogThrottle from "../shared/LogThrottle.ts"
import { Policy } from "../shared/Policy.ts"
import { AssignmentStore } from "../topic/AssignmentStore.ts"
import type { MediaRequest } from "../topic/MediaRequest.ts"
import { MediaKind } from "../topic/MediaRequest.ts"
import { MediaStorage } from "./MediaStorage.ts"
import { extensions, MediaSynthesizer } from "./MediaSynthesizer.ts"
import { afterFailure, isWornOut, nameOf, type Production, randomnessOfName } from "./Production.ts"
import { ProductionStore } from "./ProductionStore.ts"

/** What is mounted: nothing of any kind where nothing could be stored. */
const mounted = Effect.gen(function* () {
  const storage = yield* MediaStorage
  const synthesizer = yield* MediaSynthesizer
  return storage === null ? [] : MediaKind.literals.filter((kind) => synthesizer[kind] !== null)
})

/** One order for each kind that is mounted: what an approval passes on. */
export const orders = Effect.gen(function* () {
  const kinds = yield* mounted
  const random = yield* SecureRandom.SecureRandom
  return Effect.forEach(kinds, (kind) =>
    Effect.map(random.randomBytes(randomnessOfName), (bytes): MediaRequest => ({ kind, name: nameOf(bytes) }))
  )
})

/** Neither port said so: there was nothing to make it of or with, or an adapter broke. */
class ProductionFailed extends Schema.TaggedError<ProductionFailed>()("ProductionFailed", {
  permanent: Schema.Boolean,
  reason: Schema.String
}) {}

export class Studio extends Context.Service<
  Studio,
  {
    /** Takes up to so many that are due. Who took one makes it. */
    readonly take: (limit: number) => Effect.Effect<ReadonlyArray<Production>>
    /** One attempt. Never fails: failing is an outcome. Broken off, it is due again at once. */
    readonly make: (production: Production) => Effect.Effect<void>
    readonly nextDue: Effect.Effect<Option.Option<Instant.Instant>>
  }
>()("@partner-commentary/core/commentary/Studio") {
  static readonly layer = Layer.effect(
    Studio,
    Effect.gen(function* () {
      const kinds = yield* mounted
      const synthesizer = yield* MediaSynthesizer
      const storage = yield* MediaStorage
      const productions = yield* ProductionStore
      const assignments = yield* AssignmentStore
      const policy = yield* Policy

      const check = yield* checking((now) =>
        productions.repairDueTimes(latestDue(now, policy.lease, policy.mediaRetries))
      )

      const attempt = Effect.fnUntraced(function* (production: Production) {
        if (isWornOut(production, policy)) return yield* hopeless("every attempt broke off without a word")
        const synthesize = synthesizer[production.kind]
        const found = yield* assignments.find(production.shareId)
        const assignment = Option.isNone(found) ? null : found.value.assignment
        if (synthesize === null || storage === null || assignment === null || assignment.commentary === null)
          return yield* hopeless("there is nothing to make it of, or with")
        const { commentary, persona } = assignment
        const medium = yield* synthesize({ text: commentary.content, persona: { id: persona.id, name: persona.name } })
        return yield* storage.put(`${production.name}.${extensions[medium.contentType]}`, medium)
      })

      const release = (production: Production) =>
        Effect.flatMap(Instant.now, (now) => productions.settle(production, { state: "released" }, now))

      return Studio.of({
        take: (limit) =>
          kinds.length === 0
            ? Effect.succeed([])
            : Effect.flatMap(Instant.now, (now) =>
                Effect.andThen(check(now), productions.claim(now, Instant.plus(now, policy.lease), kinds, limit))
              ),
        // A stop breaks off the making, and nothing else: what was stored is written down as such.
        make: Effect.fn("Studio.make")(function* (production) {
          const outcome = yield* Effect.result(
            Effect.catchDefect(Effect.interruptible(attempt(production)), (defect) =>
              Effect.fail(new ProductionFailed({ permanent: false, reason: `an adapter broke: ${String(defect)}` }))
            ).pipe(Effect.onInterrupt(() => release(production)))
          )
          const now = yield* Instant.now
          if (Result.isSuccess(outcome))
            return yield* productions.settle(production, { state: "ready", url: outcome.success }, now)
          const after = afterFailure(production, outcome.failure, now, policy)
          yield* productions.settle(production, after, now)
          yield* Effect.annotateLogs(
            after.state === "failed"
              ? Effect.logError("A medium was given up; its text is not touched by that")
              : LogThrottle.repeating(Effect.logWarning("An attempt at a medium failed; another one will be made")),
            {
              share_id: production.shareId,
              kind: production.kind,
              reason: outcome.failure.reason,
              ...(after.state === "waiting" ? { again_at: Instant.toIso(after.until) } : {})
            }
          )
        }, Effect.uninterruptible),
        nextDue: kinds.length === 0 ? Effect.succeed(Option.none()) : productions.nextDue(kinds)
      })
    })
  )
}

const hopeless = (reason: string) => Effect.fail(new ProductionFailed({ permanent: true, reason }))
