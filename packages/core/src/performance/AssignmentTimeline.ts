/** The times and the outcome of one assignment. All metrics are computed from the fields of `AssignmentTimeline`. */
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Assignment, AssignmentStatus, FailureReason } from "../topic/Assignment.ts"

export interface AssignmentTimeline extends Pick<Assignment, "notifiedAt" | "respondedAt" | "firstDraftedAt"> {
  readonly status: AssignmentStatus
  readonly failureReason: FailureReason | null
  readonly approvedAt: Instant | null
}

export const toAssignmentTimeline = (assignment: Assignment): AssignmentTimeline => ({
  notifiedAt: assignment.notifiedAt,
  respondedAt: assignment.respondedAt,
  firstDraftedAt: assignment.firstDraftedAt,
  status: assignment.status,
  failureReason: assignment.failure?.reason ?? null,
  approvedAt: assignment.commentary?.approvedAt ?? null
})

export interface AssignmentTimelineWithPersona extends AssignmentTimeline {
  readonly personaId: PersonaId
  /** The persona's name at the time of the assignment's creation. */
  readonly personaName: string
}

/** The outcome of an assignment. The outcome is `pending` until the assignment is approved or has failed. */
export type AssignmentOutcome = "pending" | "approved" | FailureReason

export const findAssignmentOutcome = ({ failureReason, status }: AssignmentTimeline): AssignmentOutcome =>
  status === "creator_approved" ? "approved" : (failureReason ?? "pending")

export const timelineStages = ["response", "generation", "approval"] as const
export type TimelineStage = (typeof timelineStages)[number]

/**
 * Returns the duration of a stage in milliseconds; null while the stage is not complete. A negative duration counts as
 * 0, because the clocks of two nodes may differ.
 */
export const calculateStageDuration = (stage: TimelineStage, timeline: AssignmentTimeline): number | null => {
  const [from, to] = bounds[stage]
  const [start, end] = [timeline[from], timeline[to]]
  return start === null || end === null ? null : Math.max(0, end - start)
}

const bounds = {
  response: ["notifiedAt", "respondedAt"],
  generation: ["respondedAt", "firstDraftedAt"],
  approval: ["firstDraftedAt", "approvedAt"]
} as const

/** Returns the stages that a change completed, with their durations in milliseconds. */
export const findCompletedStages = (
  before: AssignmentTimeline,
  after: AssignmentTimeline
): ReadonlyArray<readonly [TimelineStage, number]> =>
  timelineStages.flatMap((stage) => {
    const duration = calculateStageDuration(stage, before) === null ? calculateStageDuration(stage, after) : null
    return duration === null ? [] : [[stage, duration] as const]
  })
