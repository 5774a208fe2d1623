/** Sums outcomes and durations of many assignments. The functions sum single assignments or daily metrics. */
import {
  type AssignmentOutcome,
  type AssignmentTimeline,
  calculateStageDuration,
  findAssignmentOutcome,
  type TimelineStage,
  timelineStages
} from "./AssignmentTimeline.ts"
import * as Histogram from "./Histogram.ts"

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
