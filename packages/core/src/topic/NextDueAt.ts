/** Calculates due times: the next timed step of an assignment, and the next reminder. */
import * as Instant from "../shared/Instant.ts"
import { type Assignment, isAssignmentSettled } from "./Assignment.ts"

/**
 * Returns the due time of the assignment's next timed step; null once the assignment is settled. An assignment's due
 * time is always derived from its other fields.
 */
export const nextDueAt = (assignment: Assignment): Instant.Instant | null => {
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
export const nextReminderAt = (assignment: Assignment): Instant.Instant | null => {
  const { approveBy, draft, notifiedAt, reminders, respondBy, status } = assignment
  if (status === "topic_sent" && notifiedAt !== null && reminders === 0)
    return Instant.interpolate(notifiedAt, respondBy, 0.5)
  if (status !== "commentary_generated" || draft === null || approveBy === null) return null
  if (reminders === 0) return Instant.interpolate(draft.createdAt, approveBy, 0.5)
  return reminders === 1 ? Instant.interpolate(draft.createdAt, approveBy, 0.9) : null
}
