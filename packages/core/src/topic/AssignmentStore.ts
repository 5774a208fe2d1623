/** The port that stores changes of assignments and finds due assignments for workers. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { LatestPlausibleDueTimes } from "../shared/DueTimes.ts"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import type { WorkNotification } from "../shared/WorkSignal.ts"
import type { Assignment } from "./Assignment.ts"
import type { Topic } from "./Topic.ts"
import type { AssignmentChange } from "./Workflow.ts"

/** An assignment, and the fields of its topic that creators' pages, mails and the text generator need. */
export interface AssignmentWithTopic {
  readonly assignment: Assignment
  readonly topic: Pick<Topic, "id" | "content" | "organizationName">
}

/** The due assignments of one organization, oldest due time first. */
export interface OrganizationDueAssignments {
  readonly organizationId: OrganizationId
  readonly ids: ReadonlyArray<ShareId>
}

export interface ModifiedAssignment {
  readonly before: Assignment
  readonly after: Assignment
  readonly topic: AssignmentWithTopic["topic"]
  /**
   * The notifications that the change causes: for workers about new and future work, and for requests that wait for the
   * change.
   */
  readonly work: ReadonlyArray<WorkNotification>
}

export interface OpenCreatorAssignments {
  readonly assignments: ReadonlyArray<AssignmentWithTopic>
  /** Number of further open assignments; capped at `maxCountedFurtherAssignments`. */
  readonly further: number
}

export const maxCountedFurtherAssignments = 1000

export class AssignmentStore extends Context.Service<
  AssignmentStore,
  {
    readonly find: (id: ShareId) => Effect.Effect<Option.Option<AssignmentWithTopic>>
    /**
     * Locks the topic and the assignment, calls `decide`, and writes the complete change in one transaction. The change
     * includes the draft, the topic's counts, usage, notices and the audit entry. Concurrent calls of `modify` for one
     * topic run one after the other. If `decide` refuses the action, the store writes nothing. If `decide` returns the
     * same object, the store does not write the assignment. Without a changed assignment, the store only marks the mail
     * `delivered` as sent, and ends the media job of `readyMedium`. Returns none when the assignment does not exist.
     */
    readonly modify: <E>(
      id: ShareId,
      decide: (present: Assignment) => Result.Result<AssignmentChange, E>
    ) => Effect.Effect<Option.Option<ModifiedAssignment>, E>
    /**
     * Changes several assignments in one transaction. Each change follows the rules of `modify`. The result omits
     * assignments that do not exist.
     */
    readonly modifyAll: (
      ids: ReadonlyArray<ShareId>,
      decide: (present: Assignment) => AssignmentChange
    ) => Effect.Effect<ReadonlyArray<ModifiedAssignment>>
    /**
     * Returns up to `limit` due assignments, grouped by organization. If more assignments are due, organizations take
     * turns, and no organization gets more than an equal share. If `mayBegin` is false, the result omits assignments
     * for which only a generation attempt is due.
     */
    readonly due: (
      environment: Environment,
      at: Instant,
      limit: number,
      mayBegin?: boolean
    ) => Effect.Effect<ReadonlyArray<OrganizationDueAssignments>>
    /**
     * Returns up to `limit` assignments whose next generation attempt or simulated step has an implausibly late due
     * time, which a fast clock has written.
     */
    readonly putOff: (
      latest: LatestPlausibleDueTimes,
      step: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ShareId>>
    /** Returns the next time at which an assignment in one of these environments is due. */
    readonly nextDue: (among: ReadonlyArray<Environment>) => Effect.Effect<Option.Option<Instant>>
    /**
     * Returns up to `limit` open live assignments of a creator, oldest first. If more assignments are open,
     * organizations take turns, each with its oldest assignment. The email address is case-insensitive. The query reads
     * only the rows that it returns.
     */
    readonly openOf: (creatorEmail: string, limit: number) => Effect.Effect<OpenCreatorAssignments>
    /**
     * Returns all assignments that were ever sent to an email address, including settled assignments. The test
     * environment sends no assignments to creators.
     */
    readonly allOf: (creatorEmail: string) => Effect.Effect<ReadonlyArray<ShareId>>
    /** Returns the assignments whose generation attempts all failed and whose generation can be restarted. */
    readonly stalled: Effect.Effect<ReadonlyArray<ShareId>>
    /** Deletes an assignment's earlier drafts and the revision requests about these drafts. */
    readonly forgetDrafts: (id: ShareId) => Effect.Effect<void>
  }
>()("@partner-commentary/core/topic/AssignmentStore") {}
