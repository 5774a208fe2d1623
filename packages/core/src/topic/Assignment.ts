/** One persona's part in one topic. Workflow.ts defines how it may change. */

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

/** Why an assignment was settled without a commentary. */
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
  /** The position among the topic's assignments, starting at 0, in the order of submission. */
  readonly position: number
  /** The persona's data is copied at submission, so that later edits do not change what the partner saw. */
  readonly persona: { readonly id: PersonaId; readonly name: string; readonly imageUrl: string }
  readonly creator: Creator
  readonly createdAt: Instant

  readonly status: AssignmentStatus
  readonly statusUpdatedAt: Instant

  /** The time at which the first mail to the creator was delivered. */
  readonly notifiedAt: Instant | null
  /** A response at or after this time is too late. */
  readonly respondBy: Instant
  /** True if the partner has set `respondBy`. The delivery of the mail then does not move it. */
  readonly isDeadlineFixed: boolean
  readonly perspective: string | null
  /** The time at which the creator submitted the perspective. */
  readonly respondedAt: Instant | null
  readonly declineReason: string | null

  readonly generation: Generation
  /** The assignment's latest draft. */
  readonly draft: Draft | null
  /** The time at which the first draft was stored. Later drafts do not change it. */
  readonly firstDraftedAt: Instant | null
  /** At this time an unapproved draft times out. */
  readonly approveBy: Instant | null

  /** The number of reminders sent in the present status and for the present draft. */
  readonly reminders: number
  readonly commentary: ApprovedCommentary | null
  readonly failure: { readonly reason: FailureReason; readonly at: Instant } | null
  /** The creator's reason for withdrawing. */
  readonly withdrawReason: string | null
  /** State of the simulated creator in the test environment; null in the live one. */
  readonly simulation: Simulation | null
  /** The time at which the next timed step is due; null once the assignment is settled. Workers query this column. */
  readonly dueAt: Instant | null
}

export interface Simulation {
  readonly path: SimulationPath
  /** The time at which the simulated creator takes its next step; null while it waits for an event or is finished. */
  readonly nextAt: Instant | null
}

/** The state of draft generation. */
export interface Generation {
  /** The ticket increases with every attempt. A result is ignored unless it carries the latest ticket. */
  readonly ticket: number
  /** True while the attempt with this ticket is running. */
  readonly running: boolean
  /** The number of attempts since the creator or operator last started generation. */
  readonly attempts: number
  /**
   * The time at which the next attempt is due, or at which the running attempt counts as lost; null when none is
   * scheduled.
   */
  readonly nextAt: Instant | null
  /**
   * Set when all attempts failed: generation can be restarted until this time. This time is also the deadline for a
   * simulated creator's draft.
   */
  readonly giveUpAt: Instant | null
  /** The creator's request for changes, and the id of the draft that the request is about. */
  readonly revision: { readonly draftId: DraftId; readonly instructions: string } | null
}

export interface Draft {
  readonly id: DraftId
  /** From 1. */
  readonly number: number
  readonly content: string
  readonly createdAt: Instant
}

export interface ApprovedCommentary {
  readonly id: CommentaryId
  readonly content: string
  /** The draft that was approved. */
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

/** Returns when the assignment was settled; null before that. */
export const settledAt = (assignment: Pick<Assignment, "commentary" | "failure">): Instant | null =>
  assignment.failure?.at ?? assignment.commentary?.approvedAt ?? null
