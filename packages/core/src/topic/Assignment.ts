/** An assignment is one persona's part in one topic. Workflow.ts defines which changes an assignment allows. */

import * as Schema from "effect/Schema"
import type { Creator } from "../persona/Persona.ts"
import type { SimulationPath } from "../persona/TestPersonas.ts"
import type { CommentaryId, DraftId, OrganizationId, PersonaId, ShareId, TopicId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"

export const AssignmentStatus = Schema.Literals([
  "topic_sent",
  "opinion_injected",
  "commentary_generated",
  "creator_approved",
  "declined",
  "expired"
])
export type AssignmentStatus = typeof AssignmentStatus.Type

/** The reason why an assignment was settled without a commentary. */
export const FailureReason = Schema.Literals([
  "declined",
  "expired",
  "generation_failed",
  "approval_timeout",
  "withdrawn",
  "cancelled"
])
export type FailureReason = typeof FailureReason.Type

export interface Assignment {
  readonly id: ShareId
  readonly topicId: TopicId
  readonly organizationId: OrganizationId
  readonly environment: Environment
  /** The position among the topic's assignments, in the order of submission. The first position is 0. */
  readonly position: number
  /** The persona at the time of submission. Later edits of the persona do not change this copy. */
  readonly persona: { readonly id: PersonaId; readonly name: string; readonly imageUrl: string }
  readonly creator: Creator
  readonly createdAt: Instant

  readonly status: AssignmentStatus
  readonly statusUpdatedAt: Instant

  /** The time at which the mail server accepted the first mail to the creator. */
  readonly notifiedAt: Instant | null
  /** The end of the response window. The creator can respond only before this time. */
  readonly respondBy: Instant
  /** True if the partner has set `respondBy`. The delivery of the mail then does not change `respondBy`. */
  readonly isDeadlineFixed: boolean
  readonly perspective: string | null
  /** The time at which the creator submitted the perspective. */
  readonly respondedAt: Instant | null
  readonly declineReason: string | null

  readonly generation: Generation
  /** The latest draft of the assignment's commentary. */
  readonly draft: Draft | null
  /** The time at which the first draft was stored. Later drafts do not change this time. */
  readonly firstDraftedAt: Instant | null
  /** The time at which an unapproved draft expires. */
  readonly approveBy: Instant | null

  /** The number of reminders sent for the present status and draft. */
  readonly reminders: number
  readonly commentary: ApprovedCommentary | null
  readonly failure: { readonly reason: FailureReason; readonly at: Instant } | null
  /** The reason that the creator gave for the withdrawal. */
  readonly withdrawReason: string | null
  /** State of the simulated creator in the test environment; null in the live environment. */
  readonly simulation: Simulation | null
  /** The time of the next timed step; null once the assignment is settled. Workers query this column. */
  readonly dueAt: Instant | null
}

export interface Simulation {
  readonly path: SimulationPath
  /** The time of the simulated creator's next step; null while the simulation waits for an event or is finished. */
  readonly nextAt: Instant | null
}

/** The state of draft generation. */
export interface Generation {
  /** The ticket number increases with every attempt. A result with an outdated ticket is ignored. */
  readonly ticket: number
  /** True while the attempt with this ticket is running. */
  readonly running: boolean
  /** The number of attempts since the creator or operator last started draft generation. */
  readonly attempts: number
  /**
   * While an attempt runs, this is the time at which the attempt counts as lost. Otherwise, this is the time of the
   * next attempt; null when none is scheduled.
   */
  readonly nextAt: Instant | null
  /**
   * After all attempts failed, generation can be restarted until this time. For a simulated creator, this is also the
   * deadline of the draft.
   */
  readonly giveUpAt: Instant | null
  /** The creator's request for changes, and the id of the draft that the request is about. */
  readonly revision: { readonly draftId: DraftId; readonly instructions: string } | null
}

export interface Draft {
  readonly id: DraftId
  /** The number of the draft within its assignment, starting at 1. */
  readonly number: number
  readonly content: string
  readonly createdAt: Instant
}

export interface ApprovedCommentary {
  readonly id: CommentaryId
  readonly content: string
  /** The id of the approved draft. */
  readonly draftId: DraftId
  readonly approvedAt: Instant
  /** The time at which the partner first accepted the commentary for publication. */
  readonly partnerApprovedAt: Instant | null
  readonly audioUrl: string | null
  readonly videoUrl: string | null
}

/** Returns whether the assignment has no further timed step. */
export const isSettled = (assignment: Pick<Assignment, "status" | "failure">): boolean =>
  assignment.status === "creator_approved" || assignment.failure !== null

/** Returns the time at which the assignment was settled; null while the assignment is open. */
export const settledAt = (assignment: Pick<Assignment, "commentary" | "failure">): Instant | null =>
  assignment.failure?.at ?? assignment.commentary?.approvedAt ?? null
