/**
 * The port that stores media jobs until they succeed or fail permanently. The transaction of an approval inserts the
 * jobs.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { LatestDue } from "../shared/DueTimes.ts"
import type { ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { MediaKind } from "../topic/MediaRequest.ts"
import type { MediaJob, MediaJobOutcome } from "./MediaJob.ts"

export class MediaJobStore extends Context.Service<
  MediaJobStore,
  {
    /**
     * Claims due media jobs of these kinds until `lease`, oldest first. Each job gets a new ticket, and the claim
     * counts as an attempt. Jobs without a stored outcome at the end of the lease are due again.
     */
    readonly claim: (
      at: Instant,
      lease: Instant,
      kinds: ReadonlyArray<MediaKind>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<MediaJob>>
    /**
     * Stores an outcome, unless its ticket is outdated. A success instead changes the assignment with
     * `recordReadyMedium`, and the same transaction ends the job.
     */
    readonly settle: (job: MediaJob, outcome: MediaJobOutcome, at: Instant) => Effect.Effect<void>
    /** Repairs due times that were calculated with a fast clock, as `MailStore.repairDueTimes` does for mails. */
    readonly repairDueTimes: (latest: LatestDue) => Effect.Effect<void>
    /** The next time at which a job of these kinds is due; none when no job waits. */
    readonly nextDue: (kinds: ReadonlyArray<MediaKind>) => Effect.Effect<Option.Option<Instant>>
    /** Lists failed jobs for the operator, newest first. */
    readonly failed: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly job: MediaJob; readonly reason: string; readonly at: Instant }>>
    /**
     * Restarts the failed jobs of this assignment, or all failed jobs when `shareId` is null. With a share id, jobs
     * that wait for a retry also become due now. Returns the number of restarted jobs.
     */
    readonly restart: (shareId: ShareId | null, at: Instant) => Effect.Effect<number>
  }
>()("@partner-commentary/core/commentary/MediaJobStore") {}
