/** Restarts work that failed permanently. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { MediaJobStore } from "../commentary/MediaJobStore.ts"
import { CreatorAdministration } from "../creator/CreatorAdministration.ts"
import * as Instant from "../shared/Instant.ts"
import { AssignmentStore } from "../topic/AssignmentStore.ts"

/**
 * Restarts failed drafts, and returns the number of restarted drafts. A draft cannot be restarted after its deadline.
 */
const retryDrafts = Effect.gen(function* () {
  const creators = yield* CreatorAdministration
  const stalled = yield* (yield* AssignmentStore).stalled
  const outcomes = yield* Effect.forEach(stalled, (id) => Effect.result(creators.retryGeneration(id)))
  return outcomes.filter(Result.isSuccess).length
})

/** Restarts the mails that failed at `mailsSince` or later, and all failed drafts, audio and video. */
export const retryFailedWork = Effect.fnUntraced(function* (mailsSince: Instant.Instant) {
  const now = yield* Instant.now
  return {
    mails: yield* CreatorAdministration.use(({ resendFailed }) => resendFailed(mailsSince)),
    drafts: yield* retryDrafts,
    media: yield* MediaJobStore.use(({ restart }) => restart(null, now))
  }
})
