/** Makes one attempt at a draft: asks the generator outside any transaction, and stores what came of it. */

import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { PersonaStore } from "../persona/PersonaStore.ts"
import * as Ids from "../shared/Ids.ts"
import { DraftId, type ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogThrottle from "../shared/LogThrottle.ts"
import { Policy } from "../shared/Policy.ts"
import * as Subject from "../shared/Subject.ts"
import { dueIn, WorkSignal } from "../shared/WorkSignal.ts"
import type { Assignment } from "../topic/Assignment.ts"
import { type AssignmentInContext, AssignmentStore, type Modified } from "../topic/AssignmentStore.ts"
import { CommentaryGenerator, GenerationFailed } from "./CommentaryGenerator.ts"
import { attemptFailed, drafted, released } from "./Generation.ts"

export class DraftWorker extends Context.Service<
  DraftWorker,
  {
    /** One attempt, under the ticket it was begun with. Overtaken ones change nothing. Never fails: failing is an outcome. */
    readonly attempt: (id: ShareId, ticket: number) => Effect.Effect<void>
  }
>()("@partner-commentary/core/commentary/DraftWorker") {
  static readonly layer = Layer.effect(
    DraftWorker,
    Effect.gen(function* () {
      const store = yield* AssignmentStore
      const personas = yield* PersonaStore
      const generator = yield* CommentaryGenerator
      const policy = yield* Policy
      const random = yield* SecureRandom.SecureRandom
      const signal = yield* WorkSignal

      const generate = Effect.fnUntraced(function* ({ assignment, topic }: AssignmentInContext) {
        const persona = yield* personas.find(assignment.persona.id)
        const { draft, generation } = assignment
        return yield* generator.generate({
          persona: {
            name: assignment.persona.name,
            bio: Option.match(persona, { onNone: () => "", onSome: ({ bio }) => bio }),
            expertise: Option.match(persona, { onNone: () => [], onSome: ({ expertise }) => expertise })
          },
          topic: topic.content,
          perspective: assignment.perspective ?? "",
          ...(draft === null || generation.revision === null
            ? {}
            : { revision: { draft: draft.content, instructions: generation.revision.instructions } })
        })
      })

      /** A clean stop does not leave it to the lease that the attempt is made again. */
      const release = (id: ShareId, ticket: number) =>
        Effect.flatMap(Instant.now, (now) =>
          Effect.andThen(
            store.modify(id, (present) => Result.succeed(released(present, ticket, now))),
            Effect.annotateLogs(Effect.logInfo("Stopped during an attempt at a draft; it is made again"), {
              share_id: id
            })
          )
        )

      const make = Effect.fnUntraced(function* (found: AssignmentInContext, ticket: number) {
        const { id } = found.assignment
        const outcome = yield* Effect.result(
          Effect.catchDefect(Effect.interruptible(generate(found)), (defect) =>
            Effect.fail(new GenerationFailed({ permanent: false, reason: `the generator broke: ${String(defect)}` }))
          ).pipe(Effect.onInterrupt(() => release(id, ticket)))
        )
        const failed = (present: Assignment, { permanent, reason }: GenerationFailed, now: Instant.Instant) =>
          attemptFailed(present, { ticket, permanent, reason }, now, policy)
        const draftId = yield* Ids.make(DraftId, random)
        const now = yield* Instant.now
        const modified = yield* store.modify(id, (present) =>
          Result.succeed(
            Result.isSuccess(outcome)
              ? drafted(present, { ticket, draftId, content: outcome.success }, now, policy)
              : failed(present, outcome.failure, now)
          )
        )
        if (Result.isFailure(outcome)) yield* report(id, outcome.failure, modified)
        // Also wakes attempts that wait for a free place.
        yield* signal.tell([dueIn(found.assignment.environment), "mails", "deliveries"])
      })

      return DraftWorker.of({
        attempt: Effect.fn("DraftWorker.attempt")(function* (id, ticket) {
          const found = yield* store.find(id)
          if (Option.isNone(found) || found.value.assignment.generation.ticket !== ticket) return
          const { organizationId, topicId } = found.value.assignment
          return yield* Subject.about(make(found.value, ticket), { organizationId, topicId, shareId: id })
          // A stop breaks off the asking, and nothing else: what was answered is stored.
        }, Effect.uninterruptible)
      })
    })
  )
}

/** A last attempt is an error for the operator, who can start again; an earlier one is a warning. One that nobody waited for any more is neither. */
const report = (id: ShareId, failure: GenerationFailed, modified: Option.Option<Modified>) => {
  const { reason, permanent } = failure
  const isAwaited = Option.exists(modified, ({ after, before }) => after !== before)
  const isLast = Option.exists(modified, ({ after }) => after.generation.nextAt === null)
  const log = !isAwaited
    ? Effect.logInfo("An attempt at a draft failed that nobody waited for any more")
    : isLast
      ? Effect.logError("Every attempt at a draft failed; start again with the retry command")
      : LogThrottle.repeating(Effect.logWarning("An attempt at a draft failed; another one will be made"))
  return Effect.annotateLogs(log, { share_id: id, reason, permanent })
}
