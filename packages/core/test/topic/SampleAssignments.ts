/** Creates assignments in early states, as starting points for tests. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { applyGeneratedDraft, findDueStep } from "../../src/commentary/Generation.ts"
import type * as Ids from "../../src/shared/Ids.ts"
import type { Policy } from "../../src/shared/Policy.ts"
import type { Assignment } from "../../src/topic/Assignment.ts"
import { calculateInitialResponseDeadline } from "../../src/topic/Submission.ts"
import {
  type ActionRefused,
  type AssignmentChange,
  recordRequestMailDelivery,
  respond
} from "../../src/topic/Workflow.ts"

/** `noonInMillis` is Thursday 14 May 2026, 12:00 UTC. */
export const noonInMillis = 1_778_760_000_000

/** Returns a UUID that ends with the given number. */
export const makeTestUuid = <Id extends string>(number: number): Id =>
  `0198a000-0000-7000-8000-${String(number).padStart(12, "0")}` as Id

export const makeDraftId = (number: number) => makeTestUuid<typeof Ids.DraftId.Type>(number)
export const makeCommentaryId = (number: number) => makeTestUuid<typeof Ids.CommentaryId.Type>(number)

export const makeNewAssignment = (policy: Policy, environment: Assignment["environment"] = "live"): Assignment => {
  const respondBy = calculateInitialResponseDeadline("live", noonInMillis, policy)
  return {
    id: makeTestUuid(1),
    topicId: makeTestUuid(2),
    organizationId: makeTestUuid(3),
    environment,
    position: 0,
    persona: { id: makeTestUuid(4), name: "Jordan Vale", imageUrl: "https://images.example/jordan.png" },
    creator: { name: "Sam", email: "sam@creator.example" },
    createdAt: noonInMillis,
    status: "topic_sent",
    statusUpdatedAt: noonInMillis,
    notifiedAt: null,
    respondBy,
    isDeadlineFixed: false,
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

/** Returns the assignment after the step. Throws if the step was rejected. */
export const getAssignmentOrThrow = (step: Result.Result<AssignmentChange, ActionRefused>): Assignment =>
  Result.getOrThrow(step).assignment

/** Returns the reason why the step was rejected; null if it was not rejected. */
export const getRefusalReason = (
  step: Result.Result<AssignmentChange, ActionRefused>
): ActionRefused["reason"] | null => Result.match(step, { onFailure: ({ reason }) => reason, onSuccess: () => null })

/**
 * Runs the next step at the assignment's due time, and returns the time, the new assignment and the notices of the
 * step. Throws if the assignment has no due time.
 */
export const runStepAtDueTime = (present: Assignment, policy: Policy) => {
  const at = present.dueAt ?? Number.NaN
  const { assignment, notices } = Option.getOrThrow(findDueStep(present, at, policy))
  return { at, assignment, notices }
}

/** Returns an assignment whose creator answered at noon and whose first generation attempt is running. */
export const makeAssignmentInGeneration = (policy: Policy): Assignment => {
  const sent = recordRequestMailDelivery(
    makeNewAssignment(policy),
    { id: "mail", attempts: 1, ticket: 1 },
    noonInMillis,
    policy
  ).assignment
  return runStepAtDueTime(getAssignmentOrThrow(respond(sent, { perspective: "It was unfair." }, noonInMillis)), policy)
    .assignment
}

/** Returns an assignment that got its first draft at noon. */
export const makeAssignmentWithDraft = (policy: Policy): Assignment =>
  applyGeneratedDraft(
    makeAssignmentInGeneration(policy),
    { ticket: 1, draftId: makeDraftId(1), content: "A draft." },
    noonInMillis,
    policy
  ).assignment
