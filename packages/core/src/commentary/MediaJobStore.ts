/** The port that keeps media jobs until they succeed or fail for good. The transaction of an approval inserts them. */
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
     * Takes media jobs of these kinds that are due, oldest due first, each under a ticket of its own, and counts an attempt. Until `lease` nobody else gets
     * them; if no outcome comes by then, they are due again.
     */
    readonly claim: (
      at: Instant,
      lease: Instant,
      kinds: ReadonlyArray<MediaKind>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<MediaJob>>
    /**
     * `ready` also writes the URL into the commentary, in one transaction, whatever was thought of the media job before.
     * Anything else counts only under the ticket that it was last taken with: one that was overtaken changes nothing.
     */
    readonly settle: (job: MediaJob, outcome: MediaJobOutcome, at: Instant) => Effect.Effect<void>
    /** As `MailStore.repairDueTimes`. */
    readonly repairDueTimes: (latest: LatestDue) => Effect.Effect<void>
    /** The next moment at which one of these kinds falls due. */
    readonly nextDue: (kinds: ReadonlyArray<MediaKind>) => Effect.Effect<Option.Option<Instant>>
    /** Given up, newest first: for the operator. */
    readonly failed: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly job: MediaJob; readonly reason: string; readonly at: Instant }>>
    /**
     * Those of this assignment (null: of every one) that were given up begin anew, and of one assignment those that wait for
     * another attempt are due now. Answers with how many.
     */
    readonly restart: (shareId: ShareId | null, at: Instant) => Effect.Effect<number>
  }
>()("@partner-commentary/core/commentary/MediaJobStore") {}
