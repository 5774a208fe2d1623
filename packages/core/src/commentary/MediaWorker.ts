/**
 * Runs due media jobs and stores their outcomes. The outcome of a media job never changes the status of an assignment.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { lostAttemptReason, runJobAttempt } from "../shared/Attempt.ts"
import { calculateLatestPlausibleDueTimes, makePeriodicRepair } from "../shared/DueTimes.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogContext from "../shared/LogContext.ts"
import * as LogThrottle from "../shared/LogThrottle.ts"
import { Policy } from "../shared/Policy.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { AssignmentStore, type AssignmentWithTopic } from "../topic/AssignmentStore.ts"
import type { MediaRequest } from "../topic/MediaRequest.ts"
import { MediaKind } from "../topic/MediaRequest.ts"
import * as SignaledChange from "../topic/SignaledChange.ts"
import {
  areMediaAttemptsExhausted,
  decideMediaOutcomeAfterFailure,
  generateMediaFileName,
  type MediaJob,
  mediaFileNameRandomBytes,
  recordFinishedMediaFile
} from "./MediaJob.ts"
import { MediaJobStore } from "./MediaJobStore.ts"
import { MediaStorage } from "./MediaStorage.ts"
import { MediaSynthesizer, mediaFileExtensions } from "./MediaSynthesizer.ts"

/** Returns the kinds of media that have a synthesizer. The result is empty if the service has no media storage. */
const supportedKinds = Effect.gen(function* () {
  const storage = yield* MediaStorage
  const synthesizer = yield* MediaSynthesizer
  return storage === null ? [] : MediaKind.literals.filter((kind) => synthesizer[kind] !== null)
})

/**
 * Provides an effect that makes one media request, with a new file name, for each supported kind of media. The approval
 * of a commentary stores the media requests.
 */
export const makeMediaRequestFactory = Effect.gen(function* () {
  const kinds = yield* supportedKinds
  const random = yield* SecureRandom.SecureRandom
  return Effect.forEach(kinds, (kind) =>
    Effect.map(
      random.randomBytes(mediaFileNameRandomBytes),
      (bytes): MediaRequest => ({ kind, name: generateMediaFileName(bytes) })
    )
  )
})

/**
 * The job failed, but no port reported a failure. For example, a job fails if the approved text is missing or an
 * adapter has a defect.
 */
class MediaJobFailed extends Schema.TaggedError<MediaJobFailed>()("MediaJobFailed", {
  permanent: Schema.Boolean,
  reason: Schema.String
}) {}

export class MediaWorker extends Context.Service<
  MediaWorker,
  {
    /** Claims due jobs. The caller must pass each claimed job to `run`. */
    readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<MediaJob>>
    /**
     * Makes one attempt at the job and records the outcome. `run` never fails. An interruption of `run` releases the
     * claimed job.
     */
    readonly run: (job: MediaJob) => Effect.Effect<void>
    readonly nextDue: Effect.Effect<Option.Option<Instant.Instant>>
  }
>()("@partner-commentary/core/commentary/MediaWorker") {
  static readonly layer = Layer.effect(
    MediaWorker,
    Effect.gen(function* () {
      const kinds = yield* supportedKinds
      const synthesizer = yield* MediaSynthesizer
      const storage = yield* MediaStorage
      const mediaJobs = yield* MediaJobStore
      const assignments = yield* AssignmentStore
      const policy = yield* Policy
      const modify = SignaledChange.makeSignalingModify(assignments, yield* WorkSignal)

      const repair = yield* makePeriodicRepair((now) =>
        mediaJobs.repairDueTimes(calculateLatestPlausibleDueTimes(now, policy.lease, policy.mediaRetries))
      )

      const produce = Effect.fnUntraced(function* (job: MediaJob, found: Option.Option<AssignmentWithTopic>) {
        if (areMediaAttemptsExhausted(job, policy)) return yield* failPermanently(lostAttemptReason)
        const synthesize = synthesizer[job.kind]
        const assignment = Option.isNone(found) ? null : found.value.assignment
        if (synthesize === null || storage === null || assignment === null || assignment.commentary === null)
          return yield* failPermanently("there is nothing to make it of, or with")
        const { commentary, persona } = assignment
        const medium = yield* synthesize({ text: commentary.content, persona: { id: persona.id, name: persona.name } })
        return yield* storage.put(`${job.name}.${mediaFileExtensions[medium.contentType]}`, medium)
      })

      const makeMedium = Effect.fnUntraced(function* (job: MediaJob, found: Option.Option<AssignmentWithTopic>) {
        const outcome = yield* runJobAttempt(Effect.interruptible(produce(job, found)), {
          release: (now) => mediaJobs.settle(job, { state: "released" }, now),
          defect: (reason) =>
            new MediaJobFailed({ permanent: false, reason: `an adapter failed unexpectedly: ${reason}` })
        })
        if (Result.isSuccess(outcome)) {
          const { success: url } = outcome
          yield* modify(job.shareId, (present) => Result.succeed(recordFinishedMediaFile(present, job, url)))
          return
        }
        const now = yield* Instant.now
        const after = decideMediaOutcomeAfterFailure(job, outcome.failure, now, policy)
        yield* mediaJobs.settle(job, after, now)
        yield* Effect.annotateLogs(
          after.state === "failed"
            ? Effect.logError("Audio or video finally failed; its text is not affected")
            : LogThrottle.markLogsAsRepeating(Effect.logWarning("An attempt at audio or video failed; will retry")),
          {
            kind: job.kind,
            reason: outcome.failure.reason,
            ...(after.state === "waiting" ? { again_at: Instant.toIso(after.until) } : {})
          }
        )
      })

      return MediaWorker.of({
        claim: (limit) =>
          kinds.length === 0
            ? Effect.succeed([])
            : Effect.flatMap(Instant.now, (now) =>
                Effect.andThen(repair(now), mediaJobs.claim(now, Instant.plus(now, policy.lease), kinds, limit))
              ),
        // Only the calls to the adapters can be interrupted, so that the URL of a stored file is always recorded.
        run: Effect.fn("MediaWorker.run")(function* (job) {
          const found = yield* assignments.find(job.shareId)
          const { organizationId, topicId } = Option.getOrNull(found)?.assignment ?? {}
          yield* LogContext.annotateSpansAndLogsWithLogContext(makeMedium(job, found), {
            organizationId,
            topicId,
            shareId: job.shareId
          })
        }, Effect.uninterruptible),
        nextDue: kinds.length === 0 ? Effect.succeed(Option.none()) : mediaJobs.nextDue(kinds)
      })
    })
  )
}

const failPermanently = (reason: string) => Effect.fail(new MediaJobFailed({ permanent: true, reason }))
