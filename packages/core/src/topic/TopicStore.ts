/** The port that stores topics and serves the partner's views of them. AssignmentStore changes assignments. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { PersonaId, ShareId, TopicId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Page, PageCursor } from "../shared/Page.ts"
import type { QuotaExceeded } from "../usage/Quota.ts"
import type { Assignment, FailureReason } from "./Assignment.ts"
import type { NoValidPersonas, Submission, SubmissionResult } from "./Submission.ts"
import type { TestStorageFull } from "./TestStorage.ts"
import type { Topic, TopicMetadata } from "./Topic.ts"
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
export type TopicRevision = string

export interface TopicWithAssignments {
  readonly revision: TopicRevision
  readonly topic: Topic
  /** The topic's assignments in the order of submission. */
  readonly assignments: ReadonlyArray<PublicAssignment>
}

/** Limits the result of a look-up by reference. The look-up stops at the first topic that exceeds a limit. */
export interface ReferenceLookupLimits {
  readonly topics: number
  /**
   * The maximum number of assignments of all found topics together. A look-up always returns the newest topic, even if
   * this topic exceeds the maximum.
   */
  readonly assignments: number
  /**
   * The maximum response size of all found topics together, including commentaries. A look-up always returns the newest
   * topic, even if this topic exceeds the maximum.
   */
  readonly bytes: number
}

export interface TopicsFoundByReference {
  /** The found topics, newest first. */
  readonly topics: ReadonlyArray<{
    readonly topic: Omit<Topic, "metadata">
    readonly assignments: ReadonlyArray<PublicAssignment>
  }>
  /** The metadata of the newest topic. The query does not read the metadata of older topics. */
  readonly metadata: TopicMetadata
  /** True if the list omits older topics with the same reference. */
  readonly more: boolean
}

/**
 * The minimal view of a topic for polling. Times are ISO 8601 text, because the database and the API use the same
 * format.
 */
export interface TopicProgress extends Pick<Topic, "externalReference" | "metadata" | "outputTypes"> {
  readonly id: TopicId
  readonly revision: TopicRevision
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
    /** The deadline of the creator's next action; null while no creator has to act. */
    readonly expiresAt: string | null
  }>
}

/** The fields that a list shows for each topic. */
export interface ListedTopic extends Pick<Topic, "id" | "externalReference" | "content" | "status"> {
  /** The metadata as JSON text. The topic list returns the stored JSON text without parsing. */
  readonly metadata: string
  /** The output types as JSON text, exactly as stored. */
  readonly outputTypes: string
  readonly createdAt: string
  readonly approvedAssignments: number
  readonly totalAssignments: number
  readonly revision: TopicRevision
}

export interface TopicQuery {
  readonly owner: Owner
  /** The statuses to list; null lists topics of every status. Topics of several statuses are merged into one list. */
  readonly status: TopicStatus | ReadonlyArray<TopicStatus> | null
  /**
   * If present, the list contains only topics with this reference. The filter by reference can be combined only with
   * the filter by creation time, because each list uses a single index.
   */
  readonly reference?: string | null
  /** The range of creation times of the listed topics. The bounds `after` and `before` are exclusive. */
  readonly created?: { readonly after: Instant | null; readonly before: Instant | null }
  /**
   * If present, the list contains only topics that changed after `updatedAfter`, sorted by the time of the last change.
   * `updatedAfter` cannot be combined with another filter.
   */
  readonly updatedAfter?: Instant | null
  readonly oldestFirst?: boolean
  readonly limit: number
  /** The start of the page: an offset, or the cursor of the previous page. */
  readonly from: { readonly offset: number } | { readonly cursor: PageCursor }
}

/** If a list has a filter other than the status, the total is counted only up to `maxCountedTotal`. */
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
    /** Returns the minimal view of a topic with one query. */
    readonly progress: (owner: Owner, id: TopicId) => Effect.Effect<Option.Option<TopicProgress>>
    readonly find: (owner: Owner, id: TopicId) => Effect.Effect<Option.Option<TopicWithAssignments>>
    /** Returns the revision of a topic. The query for a topic's revision reads one row by its key. */
    readonly revision: (owner: Owner, id: TopicId) => Effect.Effect<Option.Option<TopicRevision>>
    /**
     * Returns complete topics, newest first, within the limits of `depth`. The query reads only the rows that it
     * returns.
     */
    readonly byReference: (
      owner: Owner,
      reference: string,
      depth: ReferenceLookupLimits
    ) => Effect.Effect<TopicsFoundByReference>
    /**
     * Lists topics by time and then by id, both in the same direction. The total is a stored counter, or a count that
     * stops at `maxCountedTotal`.
     */
    readonly list: (list: TopicQuery) => Effect.Effect<Page<ListedTopic>>
  }
>()("@partner-commentary/core/topic/TopicStore") {}
