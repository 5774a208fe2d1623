/** The port that stores topics and reads the partner's views of topics. Assignments change through AssignmentStore. */
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
 * Identifies the state of a topic's views by the topic's version and a time. The time is necessary, because versions
 * repeat after a backup is restored.
 */
export type Revision = string

export interface TopicWithAssignments {
  readonly revision: Revision
  readonly topic: Topic
  /** The topic's assignments in the order of submission. */
  readonly assignments: ReadonlyArray<PublicAssignment>
}

/** The limits of a look-up by reference. The result ends before the first topic that exceeds one of the limits. */
export interface ReferenceDepth {
  readonly topics: number
  /**
   * The number of assignments of all topics together. The result always contains the newest topic, whatever its size.
   */
  readonly assignments: number
  /**
   * The response size of all topics together, including commentaries. The result always contains the newest topic,
   * whatever its size.
   */
  readonly bytes: number
}

export interface FoundByReference {
  /** The topics with this reference, newest first. */
  readonly topics: ReadonlyArray<{
    readonly topic: Omit<Topic, "metadata">
    readonly assignments: ReadonlyArray<PublicAssignment>
  }>
  /** The metadata of the newest topic. The look-up does not read the metadata of older topics. */
  readonly metadata: Metadata
  /** True if the look-up omits older topics with the same reference. */
  readonly more: boolean
}

/** The minimal view of a topic for polling. Times are ISO texts, as the store and the response contain them. */
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
    /** The creator's deadline; null while no creator needs to act. */
    readonly expiresAt: string | null
  }>
}

/** The fields of a topic that lists show. */
export interface ListedTopic extends Pick<Topic, "id" | "externalReference" | "content" | "status"> {
  /** The metadata as stored JSON text, which the response repeats without parsing. */
  readonly metadata: string
  /** The output types as stored JSON text. */
  readonly outputTypes: string
  readonly createdAt: string
  readonly approvedAssignments: number
  readonly totalAssignments: number
  readonly revision: Revision
}

export interface TopicList {
  readonly owner: Owner
  /** The status of the listed topics; null selects all topics. Several statuses result in one merged list. */
  readonly status: TopicStatus | ReadonlyArray<TopicStatus> | null
  /**
   * The reference of the listed topics. Each list uses one index, so only `created` can be combined with this filter.
   */
  readonly reference?: string | null
  /** The limits of the creation time, both exclusive. */
  readonly created?: { readonly after: Instant | null; readonly before: Instant | null }
  /** Sorts the list by the time of the last change. This filter cannot be combined with other filters. */
  readonly updatedAfter?: Instant | null
  readonly oldestFirst?: boolean
  readonly limit: number
  /** The start of the page: an offset, or the cursor of the previous page. */
  readonly from: { readonly offset: number } | { readonly cursor: Cursor }
}

/** A list with filters besides the status counts its total only up to this number. */
export const maxCountedTotal = 10_000

export class TopicStore extends Context.Service<
  TopicStore,
  {
    /**
     * Claims the duplicate windows, reserves quota or test storage, and writes topic, assignments and request mails in
     * one transaction. Concurrent submissions cannot hold the same duplicate window or exceed a quota.
     */
    readonly submit: (submission: Submission) => Effect.Effect<
      {
        readonly topic: Topic
        readonly results: ReadonlyArray<SubmissionResult>
        readonly sent: ReadonlyArray<ShareId>
      },
      NoValidPersonas | QuotaExceeded | TestStorageFull
    >
    /** Reads the topic's progress with one query. */
    readonly progress: (owner: Owner, id: TopicId) => Effect.Effect<Option.Option<TopicProgress>>
    readonly find: (owner: Owner, id: TopicId) => Effect.Effect<Option.Option<TopicWithAssignments>>
    /** Reads the topic's revision from one row by primary key. */
    readonly revision: (owner: Owner, id: TopicId) => Effect.Effect<Option.Option<Revision>>
    /** Returns complete topics, newest first, within the limits of `depth`. The query reads only the returned rows. */
    readonly byReference: (owner: Owner, reference: string, depth: ReferenceDepth) => Effect.Effect<FoundByReference>
    /**
     * Lists topics by time and then by id, both in the same direction. The total comes from a stored counter, or is
     * counted up to `maxCountedTotal`.
     */
    readonly list: (list: TopicList) => Effect.Effect<Page<ListedTopic>>
  }
>()("@partner-commentary/core/topic/TopicStore") {}
