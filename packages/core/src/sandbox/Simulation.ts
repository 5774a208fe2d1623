/**
 * These pure functions decide which workflow action a simulated creator takes next, and when. SimulatedCreators passes
 * the texts and ids.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  completeGenerationImmediately,
  endAfterGenerationFailures,
  endAfterMissedDeadline
} from "../commentary/Generation.ts"
import type { CommentaryId, DraftId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Policy } from "../shared/Policy.ts"
import { type Assignment, type AssignmentStatus, isAssignmentSettled } from "../topic/Assignment.ts"
import * as Workflow from "../topic/Workflow.ts"
import { ActionRefused, type AssignmentChange, makeChange } from "../topic/Workflow.ts"

export const SimulatedAction = Schema.Literals([
  "respond",
  "generate",
  "approve",
  "decline",
  "expire",
  "fail",
  "withdraw"
])
export type SimulatedAction = typeof SimulatedAction.Type

/** The possible actions in each status. The list of actions starts with the action that leads to approval. */
const actions: Readonly<Record<AssignmentStatus, ReadonlyArray<SimulatedAction>>> = {
  topic_sent: ["respond", "decline", "expire"],
  opinion_injected: ["generate", "fail"],
  commentary_generated: ["approve", "withdraw", "expire"],
  creator_approved: [],
  declined: [],
  expired: []
}

/** Returns the possible actions of an open assignment with this status. */
export const listSimulatedActions = (status: AssignmentStatus): ReadonlyArray<SimulatedAction> => actions[status]

/** Returns the possible actions of an assignment; none after the assignment has ended. */
export const listPossibleSimulatedActions = (present: Assignment): ReadonlyArray<SimulatedAction> =>
  isAssignmentSettled(present) ? [] : actions[present.status]

/**
 * Returns the action with which the simulated creator's path ends, if this action is possible now. If the final action
 * of the path is not possible yet, returns the next step towards approval. Returns undefined if the assignment is
 * settled.
 */
export const findNextSimulatedAction = (present: Assignment): SimulatedAction | undefined => {
  const possible = listPossibleSimulatedActions(present)
  return possible.find((action) => action === present.simulation?.path) ?? possible[0]
}

/** Returns whether the simulated creator's next automatic step is due. */
export const isSimulatedStepDue = ({ simulation }: Assignment, now: Instant.Instant): boolean =>
  simulation !== null && simulation.nextAt !== null && now >= simulation.nextAt

/**
 * The texts and ids that a simulated step may need. The caller creates the texts and ids of a step, because the step
 * function is pure.
 */
export interface SimulatedStepData {
  readonly perspective: string
  readonly draftId: DraftId
  /** The text of the draft, which the simulated creator approves unchanged. */
  readonly content: string
  readonly commentaryId: CommentaryId
  readonly contentHash: string
}

type Step = Result.Result<AssignmentChange, ActionRefused>

/** Takes one step of the simulated creator. A simulated step follows the same rules as a human creator's action. */
export const takeSimulatedStep = (
  present: Assignment,
  action: SimulatedAction,
  props: SimulatedStepData,
  now: Instant.Instant,
  policy: Policy
): Step =>
  listPossibleSimulatedActions(present).includes(action)
    ? Result.map(take[action](present, props, now, policy), (taken) => scheduleNextStep(taken, now, policy))
    : Result.fail(
        new ActionRefused({ reason: isAssignmentSettled(present) ? "settled" : "not_allowed", status: present.status })
      )

const take: Readonly<
  Record<SimulatedAction, (present: Assignment, props: SimulatedStepData, now: Instant.Instant, policy: Policy) => Step>
> = {
  respond: (present, { perspective }, now) => Workflow.respond(present, { perspective }, now),
  decline: (present, _, now) => Workflow.decline(present, { reason: null }, now),
  generate: (present, draft, now, policy) => Result.succeed(completeGenerationImmediately(present, draft, now, policy)),
  fail: (present, _, now) => Result.succeed(endAfterGenerationFailures(present, now)),
  approve: (present, { commentaryId, content, contentHash }, now) =>
    Workflow.approve(present, { draftId: present.draft?.id ?? null, content, commentaryId, contentHash }, now),
  withdraw: (present, _, now) => Workflow.withdraw(present, { reason: null }, now),
  expire: (present, _, now) => Result.succeed(endAfterMissedDeadline(present, now))
}

/**
 * Schedules the simulated creator's next step. If the next step is the draft, no generation attempt is scheduled,
 * because the simulated creator also produces the draft. The deadline of the draft is the end of `generationGrace`.
 */
const scheduleNextStep = (
  { assignment, ...also }: AssignmentChange,
  now: Instant.Instant,
  policy: Policy
): AssignmentChange => {
  const { generation, simulation, status } = assignment
  const nextAt = simulation?.path === "wait" ? null : Instant.plus(now, policy.testPace)
  return makeChange(
    {
      ...assignment,
      simulation: simulation && { ...simulation, nextAt },
      generation:
        status === "opinion_injected"
          ? { ...generation, nextAt: null, giveUpAt: Instant.plus(now, policy.generationGrace) }
          : generation
    },
    also
  )
}
