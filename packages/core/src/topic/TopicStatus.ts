/** The status of a topic. A topic's status is always derived from the counts of its assignments. */
import * as Schema from "effect/Schema"
import { type Assignment, AssignmentStatus } from "./Assignment.ts"

export const TopicStatus = Schema.Literals(["pending", "in_progress", "partial", "completed"])
export type TopicStatus = typeof TopicStatus.Type
export const topicStatuses = TopicStatus.literals

/**
 * The number of assignments by status. `abandoned` counts the failed assignments whose status is neither `declined` nor
 * `expired`. `cancelled` counts the abandoned assignments that the partner cancelled.
 */
export interface TopicCounts extends Readonly<Record<AssignmentStatus, number>> {
  readonly abandoned: number
  readonly cancelled: number
}

export const emptyTopicCounts: TopicCounts = {
  topic_sent: 0,
  opinion_injected: 0,
  commentary_generated: 0,
  creator_approved: 0,
  declined: 0,
  expired: 0,
  abandoned: 0,
  cancelled: 0
}

/**
 * Returns `completed` if no assignment is open, else `partial` if a commentary is approved, else `in_progress` if an
 * open assignment has a perspective, else `pending`.
 */
export const deriveTopicStatus = (counts: TopicCounts): TopicStatus => {
  const working = counts.opinion_injected + counts.commentary_generated - (counts.abandoned - counts.cancelled)
  if (working + counts.topic_sent - counts.cancelled === 0) return "completed"
  if (counts.creator_approved > 0) return "partial"
  return working > 0 ? "in_progress" : "pending"
}

/** Returns the topic's counts after a change of one assignment. */
export const updateTopicCounts = (
  counts: TopicCounts,
  before: AssignmentStatusFields,
  after: AssignmentStatusFields
): TopicCounts => {
  const next = { ...counts }
  next[before.status] -= 1
  next[after.status] += 1
  next.abandoned += Number(isAbandonedAssignment(after)) - Number(isAbandonedAssignment(before))
  next.cancelled += Number(isCancelledAssignment(after)) - Number(isCancelledAssignment(before))
  return next
}

/** The fields of an assignment that determine the counts of its topic. */
export type AssignmentStatusFields = Pick<Assignment, "status" | "failure">

export const isAbandonedAssignment = (outcome: AssignmentStatusFields): boolean =>
  outcome.failure !== null && outcome.status !== "declined" && outcome.status !== "expired"

export const isCancelledAssignment = (outcome: AssignmentStatusFields): boolean =>
  outcome.failure?.reason === "cancelled"

/** Returns the category in which a topic's summary counts an assignment. */
export const findSummaryCategory = (outcome: AssignmentStatusFields): "completed" | "failed" | "pending" => {
  if (outcome.status === "creator_approved") return "completed"
  return outcome.failure === null ? "pending" : "failed"
}

/** Returns the summary of a topic detail, calculated from the topic's assignments. */
export const summarizeOutcomes = (outcomes: ReadonlyArray<AssignmentStatusFields>) => {
  const summary = { total_personas: outcomes.length, completed: 0, pending: 0, failed: 0 }
  for (const outcome of outcomes) summary[findSummaryCategory(outcome)] += 1
  return summary
}

/** Returns the summary of a topic detail, calculated from the topic's counts. */
export const summarizeCounts = (counts: TopicCounts): ReturnType<typeof summarizeOutcomes> => {
  const total = assignmentStatuses.reduce((sum, status) => sum + counts[status], 0)
  const failed = counts.declined + counts.expired + counts.abandoned
  return {
    total_personas: total,
    completed: counts.creator_approved,
    pending: total - counts.creator_approved - failed,
    failed
  }
}

export const assignmentStatuses = AssignmentStatus.literals
