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

/** An assignment with what its creator, its mails and its generator need to know of the topic. */
export interface AssignmentInContext {
  readonly assignment: Assignment
  readonly topic: Pick<Topic, "id" | "content" | "organizationName">
}

/** What is due of one organization, the longest overdue first. */
export interface DueLane {
  readonly organizationId: OrganizationId
  readonly ids: ReadonlyArray<ShareId>
}

export interface Modified {
  readonly before: Assignment
  readonly after: Assignment
  /** What there is to do now, or at an earlier moment than before. */
  readonly work: ReadonlyArray<Work>
}

export interface OpenAssignments {
  readonly assignments: ReadonlyArray<AssignmentInContext>
  /** How many there are besides; `furtherCounted` where there are as many or more. */
  readonly further: number
}

export const furtherCounted = 1000

export class AssignmentStore extends Context.Service<
  AssignmentStore,
  {
    readonly find: (id: ShareId) => Effect.Effect<Option.Option<AssignmentInContext>>
    /**
     * Locks topic and assignment, lets the pure decision see the present value, and stores what follows as one
     * transaction: the assignment, its draft, the topic's counts and status, totals, usage, notices and the record.
     * Two at once are decided one after the other. A refusal, or the unchanged object, writes nothing but a
     * `delivered` mark. None when there is no such assignment.
     */
    readonly modify: <E>(
      id: ShareId,
      decide: (present: Assignment) => Result.Result<Change, E>
    ) => Effect.Effect<Option.Option<Modified>, E>
    /**
     * Those with something due at this moment, so many at most, by organization: where there is not room for all, each that has
     * something due gets one before any gets more, and none gets more than its even part.
     */
    readonly due: (environment: Environment, at: Instant, limit: number) => Effect.Effect<ReadonlyArray<DueLane>>
    /**
     * Those whose next attempt at a draft, or whose simulated step, is due later than any delay explains, because a clock ran ahead:
     * so many at most.
     */
    readonly putOff: (latest: LatestDue, step: Instant, limit: number) => Effect.Effect<ReadonlyArray<ShareId>>
    /** The next moment at which one of these environments falls due. */
    readonly nextDue: (among: ReadonlyArray<Environment>) => Effect.Effect<Option.Option<Instant>>
    /**
     * A creator's unsettled assignments in the live environment, `most` at most: the organizations' in turn, of each the oldest;
     * then all of them oldest first. Whatever the address's case. No more is read than that.
     */
    readonly openOf: (creatorEmail: string, most: number) => Effect.Effect<OpenAssignments>
    /** Everything ever sent to this address, settled or not. The test environment sends nothing to anybody. */
    readonly allOf: (creatorEmail: string) => Effect.Effect<ReadonlyArray<ShareId>>
    /** Those whose generation gave up and waits for a new start. */
    readonly stalled: Effect.Effect<ReadonlyArray<ShareId>>
    /** Forgets the drafts before the present one and all that was said with them. */
    readonly forgetDrafts: (id: ShareId) => Effect.Effect<void>
  }
>()("@partner-commentary/core/topic/AssignmentStore") {}
