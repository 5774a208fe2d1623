/** The port that stores topics and serves the partner's views of them. Assignments change through AssignmentStore. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { PersonaId, ShareId, TopicId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Cursor, Page } from "../shared/Page.ts"
import type { QuotaExceeded } from "../usage/Quota.ts"
import type { Assignment, FailureReason } from "./Assignment.ts"
import type { NoValidPersonas, Submission, SubmissionResult } from "./Submission.ts"
import type { TestStorageFull } from "./TestStorage.ts"
import type { Metadata, Topic } from "./Topic.ts"
import type { TopicStatus } from "./TopicStatus.ts"

/** The fields of an assignment that a partner may see. */
export type PublicAssignment = Pick<
  Assignment,
  "id" | "persona" | "status" | "statusUpdatedAt" | "createdAt" | "commentary" | "failure"
>

/**
 * Identifies the state of the topic's views. The revision consists of the topic's version and a time, because versions
 * repeat after a backup is restored.
 */
export type Revision = string

export interface TopicWithAssignments {
  readonly revision: Revision
  readonly topic: Topic
  /** The assignments in the order of submission. */
  readonly assignments: ReadonlyArray<PublicAssignment>
}

/** Limits of a look-up by reference. The look-up stops at the first topic that exceeds one of the limits. */
export interface ReferenceDepth {
  readonly topics: number
  /** The number of assignments of all topics together. The newest topic is always included, whatever its size. */
  readonly assignments: number
  /**
   * The response size of all topics together, including commentaries. The newest topic is always included, whatever its
   * size.
   */
  readonly bytes: number
}

export interface FoundByReference {
  /** Newest first. */
  readonly topics: ReadonlyArray<{
    readonly topic: Omit<Topic, "metadata">
    readonly assignments: ReadonlyArray<PublicAssignment>
  }>
  /** The metadata of the newest topic. The metadata of the other topics is not read. */
  readonly metadata: Metadata
  /** Whether older topics have the same reference. */
  readonly more: boolean
}

/** The minimal view of a topic for polling. Times are ISO text, in the form in which they are stored and sent. */
export interface TopicProgress extends Pick<Topic, "externalReference" | "metadata" | "outputTypes"> {
  readonly id: TopicId
  readonly revision: Revision
  readonly content: string
  readonly status: TopicStatus
  readonly createdAt: string
  readonly assignments: ReadonlyArray<{
    readonly id: ShareId
    readonly personaId: PersonaId
    readonly personaName: string
    readonly status: Assignment["status"]
    readonly statusUpdatedAt: string
    readonly failureReason: FailureReason | null
    readonly failureAt: string | null
    /** The creator's deadline; null while no creator has to act. */
    readonly expiresAt: string | null
  }>
}

/** The fields that lists show. */
export interface ListedTopic extends Pick<Topic, "id" | "externalReference" | "content" | "status"> {
  /** JSON, as it is stored: a list only repeats it. */
  readonly metadata: string
  /** JSON, as it is stored. */
  readonly outputTypes: string
  readonly createdAt: string
  readonly approvedAssignments: number
  readonly totalAssignments: number
  readonly revision: Revision
}

export interface TopicList {
  readonly owner: Owner
  /** Null selects topics of every status. Several statuses are merged into one list. */
  readonly status: TopicStatus | ReadonlyArray<TopicStatus> | null
  /** This filter can be combined only with the times of creation, because each list uses one index. */
  readonly reference?: string | null
  /** Exclusive. */
  readonly created?: { readonly after: Instant | null; readonly before: Instant | null }
  /** Orders the list by the time of the last change. `updatedAfter` cannot be combined with another filter. */
  readonly updatedAfter?: Instant | null
  readonly oldestFirst?: boolean
  readonly limit: number
  /** Where the page starts: an offset, or a cursor after the previous page. */
  readonly from: { readonly offset: number } | { readonly cursor: Cursor }
}

/** The total of a list with filters other than the status counts up to this number. */
export const maxCountedTotal = 10_000

export class TopicStore extends Context.Service<
  TopicStore,
  {
    /**
     * Claims the duplicate windows, reserves quota or test storage, and writes topic, assignments and request mails in
     * one transaction. Concurrent submissions cannot hold the same window or exceed a quota.
     */
    readonly submit: (submission: Submission) => Effect.Effect<
      {
        readonly topic: Topic
        readonly results: ReadonlyArray<SubmissionResult>
        readonly sent: ReadonlyArray<ShareId>
      },
      NoValidPersonas | QuotaExceeded | TestStorageFull
    >
    /** One query. */
    readonly progress: (owner: Owner, id: TopicId) => Effect.Effect<Option.Option<TopicProgress>>
    readonly find: (owner: Owner, id: TopicId) => Effect.Effect<Option.Option<TopicWithAssignments>>
    /** Reads one row by its key. */
    readonly revision: (owner: Owner, id: TopicId) => Effect.Effect<Option.Option<Revision>>
    /**
     * Returns whole topics, newest first, within the limits of `depth`. The query reads no more rows than it returns.
     */
    readonly byReference: (owner: Owner, reference: string, depth: ReferenceDepth) => Effect.Effect<FoundByReference>
    /**
     * Topics are sorted in one direction, and then by id. The total comes from a stored counter, or counts up to
     * `maxCountedTotal`.
     */
    readonly list: (list: TopicList) => Effect.Effect<Page<ListedTopic>>
  }
>()("@partner-commentary/core/topic/TopicStore") {}
