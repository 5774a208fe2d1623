/** What many assignments came to and how long they took: one by one, or as it was kept of a day. */
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Assignment, AssignmentStatus, FailureReason } from "../topic/Assignment.ts"
import * as Durations from "./Durations.ts"

export type Spread = Durations.Spread
const { spread } = Durations

/** The way that one assignment has gone so far. */
export interface Way extends Pick<Assignment, "notifiedAt" | "respondedAt" | "firstDraftedAt"> {
  readonly status: AssignmentStatus
  readonly failureReason: FailureReason | null
  readonly approvedAt: Instant | null
}

export const wayOf = (assignment: Assignment): Way => ({
  notifiedAt: assignment.notifiedAt,
  respondedAt: assignment.respondedAt,
  firstDraftedAt: assignment.firstDraftedAt,
  status: assignment.status,
  failureReason: assignment.failure?.reason ?? null,
  approvedAt: assignment.commentary?.approvedAt ?? null
})

/** With whom it was gone. */
export interface Course extends Way {
  readonly personaId: PersonaId
  /** As it was on the assignment. */
  readonly personaName: string
}

/** What it came to; `pending` while more may come by itself. */
export type Ending = "pending" | "approved" | FailureReason

const endingOf = ({ failureReason, status }: Pick<Way, "failureReason" | "status">): Ending =>
  status === "creator_approved" ? "approved" : (failureReason ?? "pending")

export interface Counts extends Readonly<Record<Ending, number>> {
  readonly sent: number
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

export const stages = ["response", "generation", "approval"] as const
export type Stage = (typeof stages)[number]

/** What was counted and measured so far. Grows in place: it sees a whole period. */
export interface Tally {
  readonly counts: { -readonly [Name in keyof Counts]: Counts[Name] }
  readonly times: Readonly<Record<Stage, Durations.Durations>>
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
  times: { response: Durations.none(), generation: Durations.none(), approval: Durations.none() }
})

export const add = ({ counts, times }: Tally, course: Way): void => {
  counts.sent += 1
  counts[endingOf(course)] += 1
  for (const stage of stages) {
    const time = timeOf(stage, course)
    if (time !== null) times[stage].exact.push(time)
  }
}

/** How long this stage took, where it was gone through. Two nodes' clocks may differ a little: nothing takes less than no time. */
export const timeOf = (stage: Stage, way: Way): number | null => {
  const [from, to] = ends[stage]
  const [begun, ended] = [way[from], way[to]]
  return begun === null || ended === null ? null : Math.max(0, ended - begun)
}

const ends = {
  response: ["notifiedAt", "respondedAt"],
  generation: ["respondedAt", "firstDraftedAt"],
  approval: ["firstDraftedAt", "approvedAt"]
} as const

/** Of one tally, or of several as if they were one. */
export const figures = (...tallies: ReadonlyArray<Tally>): Figures => {
  const all = newTally()
  for (const tally of tallies) addAll(all, tally)
  const { counts, times } = all
  const { approval, generation, response } = times
  return { counts, response: spread(response), generation: spread(generation), approval: spread(approval) }
}

export const addAll = (to: Tally, more: Tally): void => {
  for (const name of names) to.counts[name] += more.counts[name]
  for (const stage of stages) Durations.addAll(to.times[stage], more.times[stage])
}

const names = Object.keys(newTally().counts) as ReadonlyArray<keyof Counts>

/** What one step changes of a day's counts: `pending` is what is left of `sent`, and not counted. */
export const recount = (before: Way, after: Way): Partial<Record<Kept, number>> => {
  const [from, to] = [endingOf(before), endingOf(after)]
  if (from === to) return {}
  return { ...(from === "pending" ? {} : { [from]: -1 }), ...(to === "pending" ? {} : { [to]: 1 }) }
}

export type Kept = Exclude<keyof Counts, "pending">

/** The stages that end with this step, and how long each took. */
export const measured = (before: Way, after: Way): ReadonlyArray<readonly [Stage, number]> =>
  stages.flatMap((stage) => {
    const time = timeOf(stage, before) === null ? timeOf(stage, after) : null
    return time === null ? [] : [[stage, time] as const]
  })
