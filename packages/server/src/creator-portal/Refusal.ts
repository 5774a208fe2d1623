/**
 * Describes why a creator's action was rejected. A JSON response contains the field and the constraint, and the
 * creator's page contains a sentence.
 */
import type { RequestProblem } from "@partner-commentary/api/Errors"
import type { InvalidTextLength } from "@partner-commentary/core/creator/CreatorPortal"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import type { ActionRefused } from "@partner-commentary/core/topic/Workflow"
import type { CreatorAction, CreatorActionFields, MalformedCreatorInput } from "./CreatorAction.ts"

export interface ActionRefusal {
  readonly action: CreatorAction
  readonly problem: RequestProblem
  /** The explanation for the creator, without the name of a field. */
  readonly explanation: string
  /** The text that the creator entered, which the page shows again. */
  readonly enteredText: CreatorActionFields
  /** True when the entered text was meant for a draft that a newer draft has replaced. */
  readonly isStale: boolean
}

export type CreatorActionError = InvalidTextLength | ActionRefused | MalformedCreatorInput

/**
 * `present` is the current assignment. The page of a rejected action shows the current assignment with the error
 * message.
 */
export const toActionRefusal = (
  action: ActionRefusal["action"],
  reason: CreatorActionError,
  present: Assignment,
  enteredText: CreatorActionFields
): ActionRefusal => ({
  action,
  enteredText,
  isStale: reason._tag === "ActionRefused" && reason.reason === "stale_draft",
  ...(reason._tag === "ActionRefused" ? explainActionRefusal(reason, present) : explainInvalidInput(reason))
})

type RefusalExplanation = Pick<ActionRefusal, "problem" | "explanation">

const explainInvalidInput = (reason: InvalidTextLength | MalformedCreatorInput): RefusalExplanation => {
  if (reason._tag === "Malformed") {
    const { constraint, field, isTooLarge } = reason
    const explanation = isTooLarge
      ? "That was too long to be read."
      : "That could not be read. Please try again from this page."
    return { problem: { field, constraint }, explanation }
  }
  const { field, length, max, min } = reason
  const bounds = min === 0 ? `at most ${max}` : `${min} to ${max}`
  return {
    problem: { field, constraint: `must have ${bounds} characters, not ${length}` },
    explanation: `Please write ${bounds} characters; now there ${length === 1 ? "is" : "are"} ${length}.`
  }
}

const explainActionRefusal = ({ reason, status }: ActionRefused, present: Assignment): RefusalExplanation => {
  const draft = present.draft
  switch (reason) {
    case "stale_draft":
      return {
        problem: { field: "draft_id", constraint: `names an older draft: the present one is ${draft?.id}` },
        explanation: `A newer draft has arrived: it is number ${draft?.number}, shown below. Please read it first.`
      }
    case "draft_not_named":
      return {
        problem: {
          field: "draft_id",
          constraint: `must be given where there are several drafts: the present one is ${draft?.id}`
        },
        explanation: `There are several drafts. The present one is number ${draft?.number}, shown below.`
      }
    case "too_many_drafts":
      return {
        problem: {
          field: "action",
          constraint: `is not allowed: in ${status}, draft ${draft?.number} is the last one`
        },
        explanation: `Draft ${draft?.number} is the last one. You can approve it, edit it, or withdraw.`
      }
    case "busy":
      return {
        problem: { field: "action", constraint: `is not allowed now: in ${status}, another draft is being written` },
        explanation: "Another draft is already being written. Please wait until it is there."
      }
    case "too_late":
      return {
        problem: { field: "action", constraint: `comes too late: the time for it has run out in ${status}` },
        explanation: "The time for this has run out."
      }
    case "settled":
      return {
        problem: {
          field: "action",
          constraint: `is not allowed: the request is closed in ${status} (${present.failure?.reason})`
        },
        explanation: "This request is closed."
      }
    case "not_allowed":
      return {
        problem: { field: "action", constraint: `is not allowed: the present status is ${status}` },
        explanation: notNow[status]
      }
  }
}

const notNow: Readonly<Record<Assignment["status"], string>> = {
  topic_sent: "There is no draft yet: the request still waits for your view.",
  opinion_injected: "You have already answered, and the draft is being written.",
  commentary_generated: "You have already answered, and the draft is there.",
  creator_approved: "The commentary is already approved.",
  declined: "This request is already declined.",
  expired: "This request has expired."
}
