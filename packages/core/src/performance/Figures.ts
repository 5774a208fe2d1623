/** What many assignments came to and how long they took: counted and measured one by one, in no order. */
import type { PersonaId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Assignment, AssignmentStatus, FailureReason } from "../topic/Assignment.ts"

/** The way that one assignment has gone so far. */
export interface Course extends Pick<Assignment, "notifiedAt" | "respondedAt" | "firstDraftedAt"> {
  readonly id: ShareId
  readonly personaId: PersonaId
  readonly createdAt: Instant
  readonly status: AssignmentStatus
  readonly failureReason: FailureReason | null
  readonly approvedAt: Instant | null
}

/** What it came to; `pending` while more may come by itself. */
export type Ending = "pending" | "approved" | FailureReason

export const endingOf = ({ failureReason, status }: Pick<Course, "failureReason" | "status">): Ending =>
  status === "creator_approved" ? "approved" : (failureReason ?? "pending")

export interface Counts extends Readonly<Record<Ending, number>> {
  readonly sent: number
}

/** Milliseconds. Null where there was nothing to measure. */
export interface Spread {
  /** How many were measured. */
  readonly count: number
  readonly median: number | null
  readonly p90: number | null
}

export interface Figures {
  readonly counts: Counts
  /** From the handed-over mail to the creator's perspective. */
  readonly response: Spread
  /** From the perspective to the first draft, failed attempts included. */
  readonly generation: Spread
  /** From the first draft to the creator's approval, further drafts included. */
  readonly approval: Spread
}

type Stage = "response" | "generation" | "approval"

/** What was counted and measured so far. Grows in place: it sees a whole period's assignments. */
export interface Tally {
  readonly counts: { -readonly [Name in keyof Counts]: Counts[Name] }
  readonly times: Readonly<Record<Stage, Array<number>>>
}

export const newTally = (): Tally => ({
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
  times: { response: [], generation: [], approval: [] }
})

export const add = ({ counts, times }: Tally, course: Course): void => {
  counts.sent += 1
  counts[endingOf(course)] += 1
  measure(times.response, course.notifiedAt, course.respondedAt)
  measure(times.generation, course.respondedAt, course.firstDraftedAt)
  measure(times.approval, course.firstDraftedAt, course.approvedAt)
}

/** Two nodes' clocks may differ a little: nothing takes less than no time. */
const measure = (times: Array<number>, from: Instant | null, to: Instant | null): void => {
  if (from !== null && to !== null) times.push(Math.max(0, to - from))
}

/** Of one tally, or of several as if they were one. */
export const figures = (...tallies: ReadonlyArray<Tally>): Figures => {
  const { counts } = newTally()
  for (const tally of tallies) for (const name of names) counts[name] += tally.counts[name]
  const of = (stage: Stage) => spread(tallies.map(({ times }) => times[stage]))
  return { counts, response: of("response"), generation: of("generation"), approval: of("approval") }
}

const names = Object.keys(newTally().counts) as ReadonlyArray<keyof Counts>

const spread = (parts: ReadonlyArray<ReadonlyArray<number>>): Spread => {
  const sorted = new Float64Array(parts.reduce((count, part) => count + part.length, 0))
  let filled = 0
  for (const part of parts) {
    sorted.set(part, filled)
    filled += part.length
  }
  sorted.sort()
  return { count: sorted.length, median: percentile(sorted, 50), p90: percentile(sorted, 90) }
}

/** The nearest rank: the least of the measured values that so many percent of them do not exceed. */
export const percentile = (sorted: ArrayLike<number>, percent: number): number | null =>
  sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? null
