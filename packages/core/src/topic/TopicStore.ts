/** The port that keeps topics: taking one in, and what a partner sees of it. Assignments change through AssignmentStore. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { PersonaId, ShareId, TopicId } from "../shared/Ids.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Cursor, Page } from "../shared/Page.ts"
import type { QuotaExceeded } from "../usage/Quota.ts"
import type { Assignment, FailureReason } from "./Assignment.ts"
import type { NoValidPersonas, Submission, SubmissionResult } from "./Submission.ts"
import type { TestStorageFull } from "./TestStorage.ts"
import type { Metadata, Topic } from "./Topic.ts"
import type { TopicStatus } from "./TopicStatus.ts"

/** What a partner may see of an assignment. */
export type PublicAssignment = Pick<
  Assignment,
  "id" | "persona" | "status" | "statusUpdatedAt" | "createdAt" | "commentary" | "failure"
>

export interface TopicWithAssignments {
  readonly topic: Topic
  /** In the order of submission. */
  readonly assignments: ReadonlyArray<PublicAssignment>
}

/** How far back a reference look-up goes: to the first topic that would be one too many, or whose assignments would be too many. */
export interface ReferenceDepth {
  readonly topics: number
  /** Of all topics together. The newest is found whatever it has. */
  readonly assignments: number
  /** Of all topics together, as far as an answer shows them, commentaries included. The newest is found however large it is. */
  readonly bytes: number
}

export interface FoundByReference {
  /** Newest first. */
  readonly topics: ReadonlyArray<{
    readonly topic: Omit<Topic, "metadata">
    readonly assignments: ReadonlyArray<PublicAssignment>
  }>
  /** The newest topic's; the others' is not read. */
  readonly metadata: Metadata
  /** Whether older ones carry the reference too. */
  readonly more: boolean
}

/** The polling view: as little as it takes. Instants as ISO text, as they are stored and sent. */
export interface TopicProgress {
  readonly id: TopicId
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
  }>
}

/** What lists show of a topic: nothing of its metadata, which may be large, is read for them. */
export type ListedTopic = Pick<Topic, "id" | "content" | "status" | "counts" | "createdAt">

export interface TopicList {
  readonly owner: Owner
  readonly status: TopicStatus | null
  readonly limit: number
  /** From where: so many entries in, or behind the last one of a page. */
  readonly from: { readonly offset: number } | { readonly cursor: Cursor }
}

export class TopicStore extends Context.Service<
  TopicStore,
  {
    /**
     * Claims the duplicate windows, holds the quota or the test environment's storage, and writes topic, assignments and request mails: all of it or nothing.
     * Exact however many come at once: a window has one holder, a quota is never over.
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
    /** Newest first, whole topics. No more is read than that. */
    readonly byReference: (owner: Owner, reference: string, depth: ReferenceDepth) => Effect.Effect<FoundByReference>
    /** Newest first, ties by id, descending. The total is kept, not counted. */
    readonly list: (list: TopicList) => Effect.Effect<Page<ListedTopic>>
  }
>()("@partner-commentary/core/topic/TopicStore") {}
