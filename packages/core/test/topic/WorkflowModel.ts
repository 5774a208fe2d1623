/**
 * This model of the workflow follows the specification and is independent of the source code. The model of the workflow
 * has its own transition table, deadlines and expected results.
 */
import * as Duration from "effect/Duration"
import type { Policy } from "../../src/shared/Policy.ts"
import type { Assignment } from "../../src/topic/Assignment.ts"
import type { CreatorNotice } from "../../src/topic/Workflow.ts"
import { makeNewAssignment } from "./SampleAssignments.ts"
import type { DraftReference, WalkAction } from "./WorkflowActions.ts"

/**
 * The transitions from section 3 of the specification, each with a trigger. The workflow forbids all transitions that
 * are not in `expectedTransitions`.
 */
export const expectedTransitions = [
  "topic_sent -respond-> opinion_injected",
  "opinion_injected -drafted-> commentary_generated",
  "commentary_generated -approve-> creator_approved",
  "topic_sent -decline-> declined",
  "topic_sent -wake-> expired"
]

/** The status in which each failure reason can occur. */
export const statusByFailureReason = {
  cancelled: "topic_sent",
  declined: "declined",
  expired: "expired",
  generation_failed: "opinion_injected",
  approval_timeout: "commentary_generated",
  withdrawn: "commentary_generated"
}

export interface WorkflowWalk {
  now: number
  present: Assignment
  readonly policy: Policy
  /** The state of each generation attempt by ticket. A lost attempt has reported nothing within its lease. */
  readonly attempts: Map<number, "running" | "lost" | "ended">
  /** The number of attempts started since a draft was last requested. */
  begun: number
  /** True when a draft is requested and further attempts are allowed. */
  wanted: boolean
  giveUpAt: number | null
  revised: { readonly draft: string; readonly words: string } | null
  readonly drafts: Array<string>
  readonly notices: Array<CreatorNotice>
}

/**
 * The expected result of an action. `same` means that the action is accepted without effect. `no change` means that the
 * action is rejected, or accepted without effect. `either` means that the action may have an effect or not.
 */
type Verdict = "changes" | "same" | "refused" | "no change" | "either"

export const startWorkflowWalk = (policy: Policy, environment: Assignment["environment"]): WorkflowWalk => {
  const present = makeNewAssignment(policy, environment)
  return {
    now: present.createdAt,
    present,
    policy,
    attempts: new Map(),
    begun: 0,
    wanted: false,
    giveUpAt: null,
    revised: null,
    drafts: [],
    notices: []
  }
}

export const isFinalStatus = (present: Assignment) =>
  ["creator_approved", "declined", "expired"].includes(present.status) || present.failure !== null

const stalled = (walk: WorkflowWalk) => !isFinalStatus(walk.present) && !walk.wanted && walk.begun > 0

export const computeExpectedDeadline = ({ giveUpAt, policy, present }: WorkflowWalk): number | null => {
  if (isFinalStatus(present)) return null
  if (present.status === "topic_sent") {
    if (present.notifiedAt !== null) return present.notifiedAt + toMillis(policy.responseWindow)
    const unreachable = toMillis(policy.mailWindow) + toMillis(policy.responseWindow)
    return present.createdAt + Math.max(toMillis(policy.deliveryWindow), unreachable)
  }
  return present.draft === null ? giveUpAt : present.draft.createdAt + toMillis(policy.approvalWindow)
}

export const isPastDeadline = (walk: WorkflowWalk) =>
  walk.now >= (computeExpectedDeadline(walk) ?? Number.POSITIVE_INFINITY)
export const toMillis = Duration.toMillis

export const resolveDraftReference = (walk: WorkflowWalk, which: DraftReference) =>
  which === "unnamed" ? null : which === "present" ? (walk.drafts.at(-1) ?? "none") : (walk.drafts.at(-2) ?? "none")

const mayActOnDraft = (walk: WorkflowWalk, which: DraftReference): boolean =>
  walk.present.status === "commentary_generated" &&
  !isFinalStatus(walk.present) &&
  !isPastDeadline(walk) &&
  (which === "unnamed" ? walk.drafts.length === 1 : resolveDraftReference(walk, which) === walk.drafts.at(-1))

export const findAttemptTicket = (walk: WorkflowWalk, action: { readonly back: number }) =>
  [...walk.attempts.keys()].at(-1 - action.back) ?? 0

/** Returns the expected result of an action in the current state. */
export const predictActionResult = (walk: WorkflowWalk, action: WalkAction): Verdict => {
  const { now, policy, present } = walk
  const open = present.status === "topic_sent" && !isFinalStatus(present) && !isPastDeadline(walk)
  switch (action.do) {
    case "wait":
      return "same"
    case "wake":
      return present.dueAt !== null && present.dueAt <= now ? "changes" : "same"
    case "notified": {
      const isNews = open || present.failure?.reason === "cancelled" || present.perspective !== null
      return isNews && present.notifiedAt === null ? "changes" : "same"
    }
    case "cancel":
      return open ? "changes" : "same"
    case "respond":
      if (open) return "changes"
      return present.perspective === action.words ? "same" : "refused"
    case "decline":
      if (open) return "changes"
      return present.status === "declined" && present.declineReason === action.words ? "same" : "refused"
    case "withdraw":
      if (mayActOnDraft(walk, "present")) return "changes"
      return present.failure?.reason === "withdrawn" && present.withdrawReason === action.words ? "same" : "refused"
    case "approve": {
      if (present.commentary === null) return mayActOnDraft(walk, action.draft) ? "changes" : "refused"
      const about = resolveDraftReference(walk, action.draft) ?? present.draft?.id
      const content = action.words ?? present.draft?.content
      if (about !== present.commentary.draftId || content !== present.commentary.content) return "refused"
      return action.draft === "unnamed" && walk.drafts.length > 1 ? "no change" : "same"
    }
    case "revise": {
      if (stalled(walk) && present.draft === null && action.draft === "unnamed")
        return isPastDeadline(walk) ? "refused" : "changes"
      const about = resolveDraftReference(walk, action.draft) ?? walk.drafts.at(-1)
      const again = walk.revised !== null && walk.revised.draft === about && walk.revised.words === action.words
      if (again && (walk.wanted || about !== walk.drafts.at(-1))) return isFinalStatus(present) ? "no change" : "same"
      const may = mayActOnDraft(walk, action.draft) && !walk.wanted && walk.drafts.length < policy.maxDrafts
      return may ? "changes" : "no change"
    }
    case "restart":
      return stalled(walk) && !isPastDeadline(walk) ? "changes" : "refused"
    case "drafted": {
      if (isFinalStatus(present) || isPastDeadline(walk) || action.back > 0) return "same"
      const attempt = walk.attempts.get(findAttemptTicket(walk, action))
      if (attempt === "running") return "changes"
      // If the last attempt reports after its lease and no newer attempt was started, its result may or may not count.
      return attempt === "lost" && !walk.wanted ? "either" : "same"
    }
    case "attempt failed":
      if (isFinalStatus(present) || walk.attempts.get(findAttemptTicket(walk, action)) !== "running") return "same"
      return isPastDeadline(walk) ? "either" : "changes"
  }
}
