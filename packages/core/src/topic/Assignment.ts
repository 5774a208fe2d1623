/** One persona's part in one topic: what is known of it. How it may change is the Workflow's. */

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
  "withdrawn"
])
export type FailureReason = typeof FailureReason.Type

export interface Assignment {
  readonly id: ShareId
  readonly topicId: TopicId
  readonly organizationId: OrganizationId
  readonly environment: Environment
  /** The place among the topic's assignments, from 0, in the order of submission. */
  readonly position: number
  /** As they were when the topic was sent: what a partner was shown does not change under it. */
  readonly persona: { readonly id: PersonaId; readonly name: string; readonly imageUrl: string }
  readonly creator: Creator
  readonly createdAt: Instant

  readonly status: AssignmentStatus
  readonly statusUpdatedAt: Instant

  /** When the first mail to the creator was handed over. */
  readonly notifiedAt: Instant | null
  /** From this moment on a creator who did not respond is too late. */
  readonly respondBy: Instant
  readonly perspective: string | null
  /** When the creator gave the perspective. */
  readonly respondedAt: Instant | null
  readonly declineReason: string | null

  readonly generation: Generation
  /** The latest draft. */
  readonly draft: Draft | null
  /** When the first one came, whatever became of it. */
  readonly firstDraftedAt: Instant | null
  /** From this moment on a draft that was not approved is given up. */
  readonly approveBy: Instant | null

  /** Reminders that went out in the present status and for the present draft. */
  readonly reminders: number
  readonly commentary: ApprovedCommentary | null
  readonly failure: { readonly reason: FailureReason; readonly at: Instant } | null
  /** Said when the creator withdrew. */
  readonly withdrawReason: string | null
  /** In the test environment a simulated creator stands in for the human one; null in the live one. */
  readonly simulation: Simulation | null
  /** When something next happens by itself; null once settled. This is the workers' queue. */
  readonly dueAt: Instant | null
}

export interface Simulation {
  readonly path: SimulationPath
  /** When the simulated creator takes its next step; null while it waits for a word, and once it is settled. */
  readonly nextAt: Instant | null
}

/** The state of making drafts. */
export interface Generation {
  /** Increases with every attempt; an attempt that ends names it, and one that was overtaken changes nothing. */
  readonly ticket: number
  /** Whether the attempt of this ticket has been begun and has not ended. */
  readonly running: boolean
  /** Attempts since creator or operator last started it. */
  readonly attempts: number
  /** When the next attempt is due; while one runs, when it is taken for lost; null when none is wanted. */
  readonly nextAt: Instant | null
  /** Set when all attempts failed: until then it may be started again. A simulated creator's draft is awaited until then. */
  readonly giveUpAt: Instant | null
  /** What the creator asked to change, of which draft. */
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
  /** The draft it came from. */
  readonly draftId: DraftId
  readonly approvedAt: Instant
  /** When the partner first accepted it for publication. */
  readonly partnerApprovedAt: Instant | null
  readonly audioUrl: string | null
  readonly videoUrl: string | null
}

/** No further change will come by itself. */
export const isSettled = (assignment: Pick<Assignment, "status" | "failure">): boolean =>
  assignment.status === "creator_approved" || assignment.failure !== null

/** When it was settled; null while it is not. */
export const settledAt = (assignment: Pick<Assignment, "commentary" | "failure">): Instant | null =>
  assignment.failure?.at ?? assignment.commentary?.approvedAt ?? null
