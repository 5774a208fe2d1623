/** The port through which assignments change, and through which workers find due assignments. */
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
  readonly topic: AssignmentInContext["topic"]
  /** Jobs that the change created, and the assignment's next step. */
  readonly work: ReadonlyArray<DueWork>
}

export interface OpenAssignments {
  readonly assignments: ReadonlyArray<AssignmentInContext>
  /** Number of further open assignments; capped at `maxFurtherAssignments`. */
  readonly further: number
}

export const maxFurtherAssignments = 1000

export class AssignmentStore extends Context.Service<
  AssignmentStore,
  {
    readonly find: (id: ShareId) => Effect.Effect<Option.Option<AssignmentInContext>>
    /**
     * Locks the topic and the assignment, calls the pure decision, and writes its change in one transaction:
     * assignment, draft, topic counts and status, totals, usage, notices and audit entry. Concurrent calls run one
     * after the other. If the decision refuses the action or returns the same object, the store writes only the
     * `delivered` mark, if there is one. Returns none when the assignment does not exist.
     */
    readonly modify: <E>(
      id: ShareId,
      decide: (present: Assignment) => Result.Result<Change, E>
    ) => Effect.Effect<Option.Option<Modified>, E>
    /**
     * Changes several assignments as `modify` does, in one transaction. The result omits assignments that do not exist.
     */
    readonly modifyAll: (
      ids: ReadonlyArray<ShareId>,
      decide: (present: Assignment) => Change
    ) => Effect.Effect<ReadonlyArray<Modified>>
    /**
     * Returns up to `limit` due assignments, by organization. When there are more, each organization gets one before
     * any gets two, and none gets more than an equal share.
     */
    readonly due: (
      environment: Environment,
      at: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OrganizationQueue>>
    /**
     * Returns up to `limit` assignments whose next generation attempt or simulated step is due later than any delay
     * allows, because a clock was fast.
     */
    readonly putOff: (latest: LatestDue, step: Instant, limit: number) => Effect.Effect<ReadonlyArray<ShareId>>
    /** Returns the next time at which an assignment of these environments is due. */
    readonly nextDue: (among: ReadonlyArray<Environment>) => Effect.Effect<Option.Option<Instant>>
    /**
     * Returns up to `limit` unsettled live assignments of a creator, oldest first. When there are more, organizations
     * take turns, each with its oldest. The address is case-insensitive. The query reads no more rows than it returns.
     */
    readonly openOf: (creatorEmail: string, limit: number) => Effect.Effect<OpenAssignments>
    /**
     * Returns all assignments ever sent to this address, including settled ones. The test environment sends no
     * assignments to creators.
     */
    readonly allOf: (creatorEmail: string) => Effect.Effect<ReadonlyArray<ShareId>>
    /** Assignments whose generation finally failed and can be restarted. */
    readonly stalled: Effect.Effect<ReadonlyArray<ShareId>>
    /** Deletes earlier drafts, and the revision requests about them. */
    readonly forgetDrafts: (id: ShareId) => Effect.Effect<void>
  }
>()("@partner-commentary/core/topic/AssignmentStore") {}
