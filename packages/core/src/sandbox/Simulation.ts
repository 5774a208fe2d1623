/**
 * Decides which workflow action a simulated creator takes next, and when. The functions are pure. SimulatedCreators
 * supplies texts and ids.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { closeWindow, endAfterFailures, storeImmediateDraft } from "../commentary/Generation.ts"
import type { CommentaryId, DraftId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Policy } from "../shared/Policy.ts"
import { type Assignment, type AssignmentStatus, isSettled } from "../topic/Assignment.ts"
import * as Workflow from "../topic/Workflow.ts"
import { ActionRefused, type Change, change } from "../topic/Workflow.ts"

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

/** The possible actions in each status. Actions on the path to approval come first. */
const actions: Readonly<Record<AssignmentStatus, ReadonlyArray<SimulatedAction>>> = {
  topic_sent: ["respond", "decline", "expire"],
  opinion_injected: ["generate", "fail"],
  commentary_generated: ["approve", "withdraw", "expire"],
  creator_approved: [],
  declined: [],
  expired: []
}

/** Returns the possible actions of an unsettled assignment with this status. */
export const actionsInStatus = (status: AssignmentStatus): ReadonlyArray<SimulatedAction> => actions[status]

/** Returns the possible actions; an empty list once the assignment is settled. */
export const possibleActionsOf = (present: Assignment): ReadonlyArray<SimulatedAction> =>
  isSettled(present) ? [] : actions[present.status]

/**
 * Returns the last action of the path if that action is possible now. Otherwise, returns the next step towards
 * approval, or undefined if the assignment is settled.
 */
export const nextSimulatedAction = (present: Assignment): SimulatedAction | undefined => {
  const possible = possibleActionsOf(present)
  return possible.find((action) => action === present.simulation?.path) ?? possible[0]
}

/** Returns whether an automatic step of the simulated creator is due. */
export const isSimulatedStepDue = ({ simulation }: Assignment, now: Instant.Instant): boolean =>
  simulation !== null && simulation.nextAt !== null && now >= simulation.nextAt

/** The texts and ids that a step may need. The caller creates them, because the step is a pure function. */
export interface SimulatedStepData {
  readonly perspective: string
  readonly draftId: DraftId
  /** The text of the draft, which the simulated creator approves without changes. */
  readonly content: string
  readonly commentaryId: CommentaryId
  readonly contentHash: string
}

type Step = Result.Result<Change, ActionRefused>

/** Takes one step of the simulated creator. The rules are the same as for a human creator. */
export const takeSimulatedStep = (
  present: Assignment,
  action: SimulatedAction,
  props: SimulatedStepData,
  now: Instant.Instant,
  policy: Policy
): Step =>
  possibleActionsOf(present).includes(action)
    ? Result.map(take[action](present, props, now, policy), (taken) => paced(taken, now, policy))
    : Result.fail(new ActionRefused({ reason: isSettled(present) ? "settled" : "not_allowed", status: present.status }))

const take: Readonly<
  Record<SimulatedAction, (present: Assignment, props: SimulatedStepData, now: Instant.Instant, policy: Policy) => Step>
> = {
  respond: (present, { perspective }, now) => Workflow.respond(present, { perspective }, now),
  decline: (present, _, now) => Workflow.decline(present, { reason: null }, now),
  generate: (present, draft, now, policy) => Result.succeed(storeImmediateDraft(present, draft, now, policy)),
  fail: (present, _, now) => Result.succeed(endAfterFailures(present, now)),
  approve: (present, { commentaryId, content, contentHash }, now) =>
    Workflow.approve(present, { draftId: present.draft?.id ?? null, content, commentaryId, contentHash }, now),
  withdraw: (present, _, now) => Workflow.withdraw(present, { reason: null }, now),
  expire: (present, _, now) => Result.succeed(closeWindow(present, now))
}

/**
 * Schedules the next step of the simulated creator, but no generation attempt, because the simulated creator also
 * produces the draft. The deadline of that step is the grace period.
 */
const paced = ({ assignment, ...also }: Change, now: Instant.Instant, policy: Policy): Change => {
  const { generation, simulation, status } = assignment
  const nextAt = simulation?.path === "wait" ? null : Instant.plus(now, policy.testPace)
  return change(
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
