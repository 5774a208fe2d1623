/** The port through which assignments change, and through which workers find what is due. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { LatestDue } from "../shared/DueTimes.ts"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import type { Work } from "../shared/WorkSignal.ts"
import type { Assignment } from "./Assignment.ts"
import type { Topic } from "./Topic.ts"
import type { Change } from "./Workflow.ts"

/** An assignment with the topic's data that the creator, the mails and the generator need. */
export interface AssignmentInContext {
  readonly assignment: Assignment
  readonly topic: Pick<Topic, "id" | "content" | "organizationName">
}

/** One organization's due assignments, oldest due time first. */
export interface OrganizationQueue {
  readonly organizationId: OrganizationId
  readonly ids: ReadonlyArray<ShareId>
}

export interface Modified {
  readonly before: Assignment
  readonly after: Assignment
  /** Jobs that are due now, or earlier than before. */
  readonly work: ReadonlyArray<Work>
}

export interface OpenAssignments {
  readonly assignments: ReadonlyArray<AssignmentInContext>
  /** Number of further open assignments; capped at `furtherCounted`. */
  readonly further: number
}

export const furtherCounted = 1000

export class AssignmentStore extends Context.Service<
  AssignmentStore,
  {
    readonly find: (id: ShareId) => Effect.Effect<Option.Option<AssignmentInContext>>
    /**
     * Locks the topic and the assignment, calls the pure decision, and writes its change in one transaction:
     * assignment, draft, topic counts and status, totals, usage, notices and audit entry. Concurrent calls run one
     * after the other. A refusal or an unchanged object writes nothing but a `delivered` mark. None when the assignment
     * does not exist.
     */
    readonly modify: <E>(
      id: ShareId,
      decide: (present: Assignment) => Result.Result<Change, E>
    ) => Effect.Effect<Option.Option<Modified>, E>
    /**
     * Up to `limit` due assignments, by organization. When there are more, each organization gets one before any gets
     * two, and none gets more than an equal share.
     */
    readonly due: (
      environment: Environment,
      at: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OrganizationQueue>>
    /**
     * Up to `limit` assignments whose next generation attempt or simulated step is later than any delay allows, because
     * a clock was fast.
     */
    readonly putOff: (latest: LatestDue, step: Instant, limit: number) => Effect.Effect<ReadonlyArray<ShareId>>
    /** The next time at which an assignment of these environments is due. */
    readonly nextDue: (among: ReadonlyArray<Environment>) => Effect.Effect<Option.Option<Instant>>
    /**
     * Up to `limit` unsettled live assignments of a creator, oldest first. When there are more, organizations take
     * turns, each with its oldest. The address is case-insensitive. The query reads no further rows.
     */
    readonly openOf: (creatorEmail: string, limit: number) => Effect.Effect<OpenAssignments>
    /** All assignments ever sent to this address, settled ones included. The test environment sends none. */
    readonly allOf: (creatorEmail: string) => Effect.Effect<ReadonlyArray<ShareId>>
    /** Assignments whose generation gave up and can be restarted. */
    readonly stalled: Effect.Effect<ReadonlyArray<ShareId>>
    /** Deletes earlier drafts and their revision requests. */
    readonly forgetDrafts: (id: ShareId) => Effect.Effect<void>
  }
>()("@partner-commentary/core/topic/AssignmentStore") {}
