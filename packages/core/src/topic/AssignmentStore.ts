/** The port that changes assignments, and that finds due assignments for workers. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { LatestDue } from "../shared/DueTimes.ts"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import type { DueWork } from "../shared/WorkSignal.ts"
import type { Assignment } from "./Assignment.ts"
import type { Topic } from "./Topic.ts"
import type { Change } from "./Workflow.ts"

/** An assignment and the topic's data that the creator, the mails and the generator need. */
export interface AssignmentInContext {
  readonly assignment: Assignment
  readonly topic: Pick<Topic, "id" | "content" | "organizationName">
}

/** The due assignments of one organization, oldest due time first. */
export interface OrganizationQueue {
  readonly organizationId: OrganizationId
  readonly ids: ReadonlyArray<ShareId>
}

export interface Modified {
  readonly before: Assignment
  readonly after: Assignment
  readonly topic: AssignmentInContext["topic"]
  /** The jobs that the change created, and the next timed step of the assignment. */
  readonly work: ReadonlyArray<DueWork>
}

export interface OpenAssignments {
  readonly assignments: ReadonlyArray<AssignmentInContext>
  /** The number of open assignments that the list omits, counted up to `furtherCounted`. */
  readonly further: number
}

export const furtherCounted = 1000

export class AssignmentStore extends Context.Service<
  AssignmentStore,
  {
    readonly find: (id: ShareId) => Effect.Effect<Option.Option<AssignmentInContext>>
    /**
     * Locks the topic and the assignment, calls the pure decision, and writes the change in one transaction. The change
     * includes assignment, draft, topic counts and status, totals, usage, notices and audit entry. Concurrent calls run
     * in sequence. If the decision refuses the action or returns the same object, the store writes only the `delivered`
     * mark, if there is one. Returns none when the assignment does not exist.
     */
    readonly modify: <E>(
      id: ShareId,
      decide: (present: Assignment) => Result.Result<Change, E>
    ) => Effect.Effect<Option.Option<Modified>, E>
    /**
     * Changes several assignments in one transaction, each as `modify` does. The result omits assignments that do not
     * exist.
     */
    readonly modifyAll: (
      ids: ReadonlyArray<ShareId>,
      decide: (present: Assignment) => Change
    ) => Effect.Effect<ReadonlyArray<Modified>>
    /**
     * Returns up to `limit` due assignments, by organization. If more are due, each organization gets one before any
     * organization gets two, and no organization gets more than an equal share.
     */
    readonly due: (
      environment: Environment,
      at: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OrganizationQueue>>
    /**
     * Returns up to `limit` assignments whose next generation attempt or simulated step is due later than any valid
     * delay. A fast clock calculated such due times.
     */
    readonly putOff: (latest: LatestDue, step: Instant, limit: number) => Effect.Effect<ReadonlyArray<ShareId>>
    /** Returns the next time at which an assignment in one of these environments is due. */
    readonly nextDue: (among: ReadonlyArray<Environment>) => Effect.Effect<Option.Option<Instant>>
    /**
     * Returns up to `limit` unsettled live assignments of a creator, oldest first. If there are more, organizations
     * take turns, each with its oldest assignment. The address is case-insensitive. The query reads only the returned
     * rows.
     */
    readonly openOf: (creatorEmail: string, limit: number) => Effect.Effect<OpenAssignments>
    /**
     * Returns all assignments that were ever sent to this address, including settled assignments. The test environment
     * sends no assignments to creators.
     */
    readonly allOf: (creatorEmail: string) => Effect.Effect<ReadonlyArray<ShareId>>
    /** The assignments whose draft generation has failed after all attempts and can be restarted. */
    readonly stalled: Effect.Effect<ReadonlyArray<ShareId>>
    /** Deletes earlier drafts of the assignment, and the revision requests for these drafts. */
    readonly forgetDrafts: (id: ShareId) => Effect.Effect<void>
  }
>()("@partner-commentary/core/topic/AssignmentStore") {}
