/** An assignment as it is when its topic was just sent, and a little later, for tests to start from. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { drafted, dueStep } from "../../src/commentary/Generation.ts"
import type * as Ids from "../../src/shared/Ids.ts"
import type { Policy } from "../../src/shared/Policy.ts"
import type { Assignment } from "../../src/topic/Assignment.ts"
import { latestResponse } from "../../src/topic/Submission.ts"
import { type ActionRefused, type Change, notified, respond } from "../../src/topic/Workflow.ts"

/** Thursday 14 May 2026, 12:00 UTC. */
export const noon = 1_778_760_000_000

/** A UUID that ends in this number. */
export const uuid = <Id extends string>(number: number): Id =>
  `0198a000-0000-7000-8000-${String(number).padStart(12, "0")}` as Id

export const draftId = (number: number) => uuid<typeof Ids.DraftId.Type>(number)
export const commentaryId = (number: number) => uuid<typeof Ids.CommentaryId.Type>(number)

export const freshAssignment = (policy: Policy, environment: Assignment["environment"] = "live"): Assignment => {
  const respondBy = latestResponse("live", noon, policy)
  return {
    id: uuid(1),
    topicId: uuid(2),
    organizationId: uuid(3),
    environment,
    position: 0,
    persona: { id: uuid(4), name: "Jordan Vale", imageUrl: "https://images.example/jordan.png" },
    creator: { name: "Sam", email: "sam@creator.example" },
    createdAt: noon,
    status: "topic_sent",
    statusUpdatedAt: noon,
    notifiedAt: null,
    respondBy,
    perspective: null,
    respondedAt: null,
    declineReason: null,
    generation: { ticket: 0, running: false, attempts: 0, nextAt: null, giveUpAt: null, revision: null },
    draft: null,
    firstDraftedAt: null,
    approveBy: null,
    reminders: 0,
    commentary: null,
    failure: null,
    withdrawReason: null,
    simulation: environment === "test" ? { path: "wait", nextAt: null } : null,
    dueAt: respondBy
  }
}

/** What an allowed step leads to. */
export const after = (step: Result.Result<Change, ActionRefused>): Assignment => Result.getOrThrow(step).assignment

/** Why a step is refused. */
export const reasonOf = (step: Result.Result<Change, ActionRefused>): ActionRefused["reason"] | null =>
  Result.match(step, { onFailure: ({ reason }) => reason, onSuccess: () => null })

/** Woken when it is due, and not before; with the moment and the notices. */
export const woken = (present: Assignment, policy: Policy) => {
  const at = present.dueAt ?? Number.NaN
  const { assignment, notices } = Option.getOrThrow(dueStep(present, at, policy))
  return { at, assignment, notices }
}

/** Handed over at noon, answered at once, and the first attempt at a draft begun. */
export const attempted = (policy: Policy): Assignment => {
  const sent = notified(freshAssignment(policy), { id: "mail", attempts: 1, ticket: 1 }, noon, policy).assignment
  return woken(after(respond(sent, { perspective: "It was unfair." }, noon)), policy).assignment
}

/** With a first draft, at noon. */
export const generated = (policy: Policy): Assignment =>
  drafted(attempted(policy), { ticket: 1, draftId: draftId(1), content: "A draft." }, noon, policy).assignment
