/** Outcomes and durations of many assignments, summed one by one or from daily totals. */
import {
  type AssignmentTimeline,
  durationOf,
  type Outcome,
  outcomeOf,
  type Stage,
  stages
} from "./AssignmentTimeline.ts"
import * as Histogram from "./Histogram.ts"

export interface Counts extends Readonly<Record<Outcome, number>> {
  readonly sent: number
}

export interface MetricsSummary {
  readonly counts: Counts
  /** The time from the delivered mail to the creator's perspective. */
  readonly response: Histogram.Percentiles
  /** The time from the perspective to the first draft, including failed attempts. */
  readonly generation: Histogram.Percentiles
  /** The time from the first draft to the creator's approval, including further drafts. */
  readonly approval: Histogram.Percentiles
}

/** The metrics change in place while a report is read. */
export interface Metrics {
  readonly counts: { -readonly [Name in keyof Counts]: Counts[Name] }
  readonly durations: Readonly<Record<Stage, Histogram.Histogram>>
}

export const empty = (): Metrics => ({
  counts: {
    sent: 0,
    pending: 0,
    approved: 0,
    declined: 0,
    expired: 0,
    generation_failed: 0,
    approval_timeout: 0,
    withdrawn: 0
  },
  durations: { response: new Map(), generation: new Map(), approval: new Map() }
})

export const add = ({ counts, durations }: Metrics, timeline: AssignmentTimeline): void => {
  counts.sent += 1
  counts[outcomeOf(timeline)] += 1
  for (const stage of stages) {
    const duration = durationOf(stage, timeline)
    if (duration !== null) Histogram.add(durations[stage], duration, 1)
  }
}

export const addAll = (to: Metrics, more: Metrics): void => {
  for (const name of names) to.counts[name] += more.counts[name]
  for (const stage of stages) Histogram.addAll(to.durations[stage], more.durations[stage])
}

const names = Object.keys(empty().counts) as ReadonlyArray<keyof Counts>

export const summarize = ({ counts, durations }: Metrics): MetricsSummary => ({
  counts,
  response: Histogram.percentiles(durations.response),
  generation: Histogram.percentiles(durations.generation),
  approval: Histogram.percentiles(durations.approval)
})

/** `pending` is computed from the other counts. */
export type StoredCount = Exclude<keyof Counts, "pending">

/** How a change of one assignment changes the stored counts of its day. */
export const countChanges = (
  before: AssignmentTimeline,
  after: AssignmentTimeline
): ReadonlyArray<readonly [StoredCount, 1 | -1]> => {
  const [from, to] = [outcomeOf(before), outcomeOf(after)]
  if (from === to) return []
  return [...(from === "pending" ? [] : [[from, -1] as const]), ...(to === "pending" ? [] : [[to, 1] as const])]
}
