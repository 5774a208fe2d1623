/** The port that stores media jobs. The transaction that approves a commentary inserts its media jobs. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { LatestPlausibleDueTimes } from "../shared/DueTimes.ts"
import type { ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { MediaKind } from "../topic/MediaRequest.ts"
import type { MediaJob, MediaJobOutcome } from "./MediaJob.ts"

export class MediaJobStore extends Context.Service<
  MediaJobStore,
  {
    /**
     * Claims due media jobs of the given kinds. Each organization gets at most an equal share of the limit, and its
     * oldest jobs come first. If more organizations wait than the limit allows, the organizations with the fewest
     * running jobs come first. Each claim gets a new ticket and counts as an attempt. Other workers cannot claim the job before the time `lease`. If no outcome is stored, the job is due again at the
     * time `lease`.
     */
    readonly claim: (
      at: Instant,
      lease: Instant,
      kinds: ReadonlyArray<MediaKind>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<MediaJob>>
    /**
     * Stores an outcome if the job has the latest ticket. `settle` does not store a success. On success,
     * AssignmentStore stores the file's URL in the assignment and ends the job in the same transaction.
     */
    readonly settle: (job: MediaJob, outcome: MediaJobOutcome, at: Instant) => Effect.Effect<void>
    /**
     * Makes jobs due earlier if a fast clock set their due times too late, as `MailStore.repairDueTimes` does for
     * mails.
     */
    readonly repairDueTimes: (latest: LatestPlausibleDueTimes) => Effect.Effect<void>
    /** The next time at which a job of these kinds is due; none when no job waits. */
    readonly nextDue: (kinds: ReadonlyArray<MediaKind>) => Effect.Effect<Option.Option<Instant>>
    /** Lists failed jobs for the operator, newest first. */
    readonly failed: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly job: MediaJob; readonly reason: string; readonly at: Instant }>>
    /**
     * Restarts the failed jobs of an assignment, or all failed jobs when `shareId` is null. If `shareId` is given, jobs
     * of the assignment that wait for a retry become due now. Returns the number of restarted jobs.
     */
    readonly restart: (shareId: ShareId | null, at: Instant) => Effect.Effect<number>
  }
>()("@partner-commentary/core/commentary/MediaJobStore") {}
