/** Generates drafts and stores the outcome of each attempt. The worker calls the generator outside any transaction. */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { PersonaStore } from "../persona/PersonaStore.ts"
import { lostAttemptReason, runJobAttempt } from "../shared/Attempt.ts"
import * as Ids from "../shared/Ids.ts"
import { DraftId, type ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogContext from "../shared/LogContext.ts"
import * as LogThrottle from "../shared/LogThrottle.ts"
import { Policy } from "../shared/Policy.ts"
import * as TtlCache from "../shared/TtlCache.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import type { Assignment } from "../topic/Assignment.ts"
import { AssignmentStore, type AssignmentWithTopic, type ModifiedAssignment } from "../topic/AssignmentStore.ts"
import { CommentaryGenerator, GenerationFailed } from "./CommentaryGenerator.ts"
import { applyGeneratedDraft, applyGenerationFailure, releaseGenerationAttempt } from "./Generation.ts"

/** The time to live limits how long a worker uses the old data of a changed persona. */
const personaCache = { capacity: 1000, timeToLive: "3 seconds" } as const

/**
 * A generation attempt that DueAssignments has started. The job holds the assignment's state at the start of the
 * attempt.
 */
export type DraftJob = AssignmentWithTopic

export class DraftWorker extends Context.Service<
  DraftWorker,
  {
    /**
     * Runs the attempt and records its outcome. `run` never fails. If a later attempt has started, the outcome changes
     * nothing.
     */
    readonly run: (job: DraftJob) => Effect.Effect<void>
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

      /** Attempts for one persona share a cached query. */
      const recent = yield* TtlCache.make(personas.find, personaCache)

      const generate = Effect.fnUntraced(function* ({ assignment, topic }: AssignmentWithTopic) {
        const persona = yield* recent.get(assignment.persona.id)
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

      const release = (id: ShareId, ticket: number, now: Instant.Instant) =>
        Effect.andThen(
          store.modify(id, (present) => Result.succeed(releaseGenerationAttempt(present, ticket, now))),
          Effect.annotateLogs(Effect.logInfo("Stopped during an attempt at a draft; it will be retried"), {
            share_id: id
          })
        )

      const makeDraft = Effect.fnUntraced(function* (found: AssignmentWithTopic, ticket: number) {
        const { id } = found.assignment
        const outcome = yield* runJobAttempt(Effect.interruptible(generate(found)), {
          release: (now) => release(id, ticket, now),
          defect: (reason) =>
            new GenerationFailed({ permanent: false, reason: `the generator failed unexpectedly: ${reason}` })
        })
        const failed = (present: Assignment, { permanent, reason }: GenerationFailed, now: Instant.Instant) =>
          applyGenerationFailure(present, { ticket, permanent, reason }, now, policy)
        const draftId = yield* Ids.make(DraftId, random)
        const now = yield* Instant.now
        const modified = yield* store.modify(id, (present) =>
          Result.succeed(
            Result.isSuccess(outcome)
              ? applyGeneratedDraft(present, { ticket, draftId, content: outcome.success }, now, policy)
              : failed(present, outcome.failure, now)
          )
        )
        if (Result.isFailure(outcome)) yield* report(id, outcome.failure, modified)
        if (Option.isSome(modified)) yield* signal.tell(modified.value.work)
      })

      return DraftWorker.of({
        run: Effect.fn("DraftWorker.run")(function* (job) {
          const { generation, id, organizationId, topicId } = job.assignment
          return yield* LogContext.annotateSpansAndLogsWithLogContext(makeDraft(job, generation.ticket), {
            organizationId,
            topicId,
            shareId: id
          })
          // Only the call to the generator can be interrupted, so that a finished draft is always stored.
        }, Effect.uninterruptible)
      })
    })
  )
}

/**
 * Logs a failure of the last attempt as an error, because generation then continues only if a person restarts it. Logs
 * failures of earlier attempts as warnings, and failures of superseded attempts as information.
 */
const report = (id: ShareId, failure: GenerationFailed, modified: Option.Option<ModifiedAssignment>) => {
  const { reason, permanent } = failure
  const isCurrent = Option.exists(modified, ({ after, before }) => after !== before)
  const isLast = Option.exists(modified, ({ after }) => after.generation.nextAt === null)
  const log = !isCurrent
    ? Effect.logInfo("A superseded attempt at a draft failed")
    : isLast
      ? logFinalFailure
      : LogThrottle.markLogsAsRepeating(Effect.logWarning("An attempt at a draft failed; will retry"))
  return Effect.annotateLogs(log, { share_id: id, reason, permanent })
}

const logFinalFailure = Effect.logError(
  "Every attempt at a draft failed; restart it with the command retry, or with pc.operations.retry()"
)

/** Logs that generation ended at the due time of another attempt, because no attempt is left. */
export const reportNoAttemptLeft = ({ generation, id, organizationId, topicId }: Assignment) =>
  Effect.annotateLogs(logFinalFailure, {
    ...LogContext.formatLogContextAttributes({ organizationId, topicId, shareId: id }, "_"),
    reason: generation.running ? lostAttemptReason : "the retry schedule was shortened",
    permanent: false
  })
