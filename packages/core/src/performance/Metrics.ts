/**
 * Reads the times and the outcome of one assignment from its timeline, and sums the outcomes and durations of many
 * assignments. The functions sum single assignments or daily metrics.
 */
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Assignment, AssignmentStatus, FailureReason } from "../topic/Assignment.ts"
import * as Histogram from "./Histogram.ts"

/** All metrics are computed from these fields of an assignment. */
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

const findAssignmentOutcome = ({ failureReason, status }: AssignmentTimeline): AssignmentOutcome =>
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
export const findNewlyCompletedStages = (
  before: AssignmentTimeline,
  after: AssignmentTimeline
): ReadonlyArray<readonly [TimelineStage, number]> =>
  timelineStages.flatMap((stage) => {
    const duration = calculateStageDuration(stage, before) === null ? calculateStageDuration(stage, after) : null
    return duration === null ? [] : [[stage, duration] as const]
  })

export interface OutcomeCounts extends Readonly<Record<AssignmentOutcome, number>> {
  readonly sent: number
}

export interface MetricsSummary {
  readonly counts: OutcomeCounts
  /** The time from the delivery of the request mail to the creator's perspective. */
  readonly response: Histogram.DurationPercentiles
  /** The time from the perspective to the first draft, including failed attempts. */
  readonly generation: Histogram.DurationPercentiles
  /** The time from the first draft to the creator's approval, including further drafts. */
  readonly approval: Histogram.DurationPercentiles
}

/** The counts are mutable, because a report adds each assignment that it reads. */
export interface AssignmentMetrics {
  readonly counts: { -readonly [Name in keyof OutcomeCounts]: OutcomeCounts[Name] }
  readonly durations: Readonly<Record<TimelineStage, Histogram.DurationHistogram>>
}

export const makeEmptyMetrics = (): AssignmentMetrics => ({
  counts: {
    sent: 0,
    pending: 0,
    approved: 0,
    declined: 0,
    expired: 0,
    generation_failed: 0,
    approval_timeout: 0,
    withdrawn: 0,
    cancelled: 0
  },
  durations: { response: new Map(), generation: new Map(), approval: new Map() }
})

export const addTimeline = ({ counts, durations }: AssignmentMetrics, timeline: AssignmentTimeline): void => {
  counts.sent += 1
  counts[findAssignmentOutcome(timeline)] += 1
  for (const stage of timelineStages) {
    const duration = calculateStageDuration(stage, timeline)
    if (duration !== null) Histogram.addDuration(durations[stage], duration, 1)
  }
}

export const addMetrics = (to: AssignmentMetrics, more: AssignmentMetrics): void => {
  for (const name of names) to.counts[name] += more.counts[name]
  for (const stage of timelineStages) Histogram.mergeHistogram(to.durations[stage], more.durations[stage])
}

const names = Object.keys(makeEmptyMetrics().counts) as ReadonlyArray<keyof OutcomeCounts>

export const summarizeMetrics = ({ counts, durations }: AssignmentMetrics): MetricsSummary => ({
  counts,
  response: Histogram.calculatePercentiles(durations.response),
  generation: Histogram.calculatePercentiles(durations.generation),
  approval: Histogram.calculatePercentiles(durations.approval)
})

/** A count that the database stores. The count `pending` is not stored, because it follows from the other counts. */
export type StoredCountName = Exclude<keyof OutcomeCounts, "pending">

/** Returns how a change of an assignment affects the stored counts of the day on which the assignment was sent. */
export const calculateStoredCountDeltas = (
  before: AssignmentTimeline,
  after: AssignmentTimeline
): ReadonlyArray<readonly [StoredCountName, 1 | -1]> => {
  const [from, to] = [findAssignmentOutcome(before), findAssignmentOutcome(after)]
  if (from === to) return []
  return [...(from === "pending" ? [] : [[from, -1] as const]), ...(to === "pending" ? [] : [[to, 1] as const])]
}
