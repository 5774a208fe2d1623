/** Plans the steps of every assignment of a run. The seed determines all plans before the run starts. */
import type { RandomSource } from "./Randomness.ts"

export type CreatorBehavior = "approve" | "edit" | "decline" | "silent" | "withdraw" | "abandon"

export interface AssignmentPlan {
  readonly name: string
  readonly personaId: string
  readonly course: CreatorBehavior
  readonly perspective: string
  /** The number of revisions that the creator requests before deciding. */
  readonly revisions: number
  /** True if the creator waits for the mail about a draft instead of only polling the page. */
  readonly waitsForMail: boolean
  readonly random: RandomSource
}

export interface TopicPlan {
  readonly number: number
  readonly content: string
  readonly reference: string
  readonly assignments: ReadonlyArray<AssignmentPlan>
  /** True if the partner submits the topic again after the service has acknowledged the topic. */
  readonly repeated: boolean
}

/**
 * The weights of each creator behavior for the first topics. Behaviors that end with a long timeout have higher weights
 * for the first topics, so that the run ends soon after the last topic.
 */
const early: Readonly<Record<CreatorBehavior, number>> = {
  approve: 34,
  edit: 20,
  decline: 14,
  silent: 12,
  withdraw: 8,
  abandon: 12
}
const late: Readonly<Record<CreatorBehavior, number>> = {
  approve: 42,
  edit: 26,
  decline: 16,
  silent: 8,
  withdraw: 8,
  abandon: 0
}

export const generatePlans = (
  random: RandomSource,
  topics: number,
  personas: ReadonlyArray<string>
): ReadonlyArray<TopicPlan> =>
  Array.from({ length: topics }, (_, number) => {
    const first = random.whole(0, personas.length - 1)
    const assignments = Array.from({ length: random.whole(1, 3) }, (_, place): AssignmentPlan => {
      const course = random.pick(number < topics / 4 ? early : late)
      const drafted = course === "approve" || course === "edit"
      return {
        name: `${number}.${place}`,
        personaId: personas[(first + place) % personas.length]!,
        course,
        perspective: `Form beats fame: that is my view number ${number} at place ${place}, and I stand by it.`,
        revisions: drafted && random.chance(0.25) ? random.whole(1, 2) : 0,
        waitsForMail: random.chance(0.4),
        random: random.fork(1000 + number * 10 + place)
      }
    })
    return {
      number,
      content: `Question ${number}: who wins the next derby, and why?`,
      reference: `derby-${number}`,
      assignments,
      repeated: random.chance(0.15)
    }
  })

export const parseTopicNumber = (content: string): number => Number(/Question (\d+):/.exec(content)?.[1] ?? Number.NaN)
