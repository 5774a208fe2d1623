/**
 * An assignment is one persona's part in one topic. Workflow.ts defines the permitted changes of an assignment. The
 * functions calculate the times of the next timed step and of the next reminder.
 */
import * as Schema from "effect/Schema"
import type { Creator } from "../persona/Persona.ts"
import type { SimulationPath } from "../persona/TestPersonas.ts"
import type { CommentaryId, DraftId, OrganizationId, PersonaId, ShareId, TopicId } from "../shared/Ids.ts"
import { type Instant, interpolate } from "../shared/Instant.ts"
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

/** The reason why an assignment ended without an approved commentary. */
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
  /** The assignment's position in the topic, in the order of submission and starting at 0. */
  readonly position: number
  /**
   * A copy of the persona's data at submission. Later edits of the persona do not change the copy in the assignment.
   */
  readonly persona: { readonly id: PersonaId; readonly name: string; readonly imageUrl: string }
  readonly creator: Creator
  readonly createdAt: Instant

  readonly status: AssignmentStatus
  readonly statusUpdatedAt: Instant

  /** The time at which the request mail to the creator was first delivered. */
  readonly notifiedAt: Instant | null
  /** The response deadline. A response at or after the deadline is rejected. */
  readonly respondBy: Instant
  /** True if the partner has set `respondBy`, so that the delivery of the request mail does not change it. */
  readonly isDeadlineFixed: boolean
  readonly perspective: string | null
  /** The time at which the creator submitted the perspective. */
  readonly respondedAt: Instant | null
  readonly declineReason: string | null

  readonly generation: GenerationState
  /** The latest draft of the assignment. */
  readonly draft: Draft | null
  /** The time at which the first draft was stored. Later drafts do not change `firstDraftedAt`. */
  readonly firstDraftedAt: Instant | null
  /** The approval deadline. At the deadline, an assignment without an approved draft fails with `approval_timeout`. */
  readonly approveBy: Instant | null

  /** The number of reminders sent in the current status and for the current draft. */
  readonly reminders: number
  readonly commentary: ApprovedCommentary | null
  readonly failure: { readonly reason: FailureReason; readonly at: Instant } | null
  /** The reason that the creator gave for the withdrawal. */
  readonly withdrawReason: string | null
  /** The state of the simulated creator in the test environment; null in the live environment. */
  readonly simulation: SimulationState | null
  /**
   * The time of the next step that needs no action, such as a reminder, a generation attempt or the end of a window.
   * `dueAt` is null once the assignment is settled. Workers find due assignments by `dueAt`.
   */
  readonly dueAt: Instant | null
}

export interface SimulationState {
  readonly path: SimulationPath
  /** The time of the simulated creator's next step; null while no automatic step is scheduled. */
  readonly nextAt: Instant | null
}

/** The state of draft generation. */
export interface GenerationState {
  /** The ticket increases with every attempt. A result with an earlier ticket is ignored. */
  readonly ticket: number
  /** True while the generation attempt with the latest ticket is running. */
  readonly running: boolean
  /** The number of generation attempts since the creator or an operator last started generation. */
  readonly attempts: number
  /**
   * The time at which the next generation attempt is due. While an attempt is running, `nextAt` is the end of the
   * attempt's lease. `nextAt` is null when no attempt is scheduled.
   */
  readonly nextAt: Instant | null
  /**
   * The time at which an assignment without a draft fails. When all generation attempts failed, generation can be
   * restarted until this time. In the test environment, the field is also set while the assignment waits for the
   * simulated creator's draft.
   */
  readonly giveUpAt: Instant | null
  /** The creator's request to revise a draft, and the id of that draft. */
  readonly revision: { readonly draftId: DraftId; readonly instructions: string } | null
}

export interface Draft {
  readonly id: DraftId
  /** The number of the draft within the assignment, starting at 1. */
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

/**
 * Returns whether the assignment is settled: the creator approved a draft, or the assignment failed. A settled
 * assignment has no further due time.
 */
export const isAssignmentSettled = (assignment: Pick<Assignment, "status" | "failure">): boolean =>
  assignment.status === "creator_approved" || assignment.failure !== null

/** Returns the time at which the assignment was settled; null while the assignment is open. */
export const findSettlementTime = (assignment: Pick<Assignment, "commentary" | "failure">): Instant | null =>
  assignment.failure?.at ?? assignment.commentary?.approvedAt ?? null

/**
 * Returns the due time of the assignment's next timed step; null once the assignment is settled. An assignment's due
 * time is always derived from its other fields.
 */
export const nextDueAt = (assignment: Assignment): Instant | null => {
  if (isAssignmentSettled(assignment)) return null
  const { generation } = assignment
  const moments = [
    nextReminderAt(assignment),
    generation.nextAt,
    generation.giveUpAt,
    assignment.simulation?.nextAt ?? null,
    assignment.status === "topic_sent" ? assignment.respondBy : null,
    assignment.status === "commentary_generated" ? assignment.approveBy : null
  ].filter((moment) => moment !== null)
  return Math.min(...moments)
}

/**
 * Returns the time of the next reminder. The creator gets one reminder at half of the response window, and reminders at
 * half and nine tenths of the approval window.
 */
export const nextReminderAt = (assignment: Assignment): Instant | null => {
  const { approveBy, draft, notifiedAt, reminders, respondBy, status } = assignment
  if (status === "topic_sent" && notifiedAt !== null && reminders === 0) return interpolate(notifiedAt, respondBy, 0.5)
  if (status !== "commentary_generated" || draft === null || approveBy === null) return null
  if (reminders === 0) return interpolate(draft.createdAt, approveBy, 0.5)
  return reminders === 1 ? interpolate(draft.createdAt, approveBy, 0.9) : null
}
