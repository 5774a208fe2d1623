/**
 * Defines the transitions of an assignment. One table contains the specification's complete workflow. Each action is a
 * pure function from the current assignment to a change or a refusal. Actions read no clock, create no ids and write
 * nothing.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { CommentaryId, DraftId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Policy } from "../shared/Policy.ts"
import { type Assignment, AssignmentStatus, type FailureReason, isAssignmentSettled, nextDueAt } from "./Assignment.ts"
import type { MediaKind, MediaRequest } from "./MediaRequest.ts"

/** The actions that change an assignment's status. */
type Trigger = "respond" | "decline" | "expire" | "draft" | "approve"

/** The complete workflow as a table. A status with an empty row is final. */
export const workflowTransitions: Readonly<
  Record<AssignmentStatus, Partial<Readonly<Record<Trigger, AssignmentStatus>>>>
> = {
  topic_sent: { respond: "opinion_injected", decline: "declined", expire: "expired" },
  opinion_injected: { draft: "commentary_generated" },
  commentary_generated: { approve: "creator_approved" },
  creator_approved: {},
  declined: {},
  expired: {}
}

/** The kinds of mail about an assignment. */
export type CreatorNoticeKind =
  | "request"
  | "reminder"
  | "draft"
  | "approval_reminder"
  | "approval_last_call"
  | "stalled"
  | "cancelled"

/**
 * A mail that the store must queue. Kind and occasion form the mail's key, so queuing the same mail again changes
 * nothing.
 */
export interface CreatorNotice {
  readonly kind: CreatorNoticeKind
  readonly occasion: string
}

/**
 * Returns the occasion of a mail. The occasion distinguishes mails of one kind about the same assignment: each draft
 * and each final failure of generation has a separate occasion.
 */
export const makeNoticeOccasion = (
  kind: CreatorNoticeKind,
  { draft, generation }: Pick<Assignment, "draft" | "generation">
): string => {
  if (kind === "request" || kind === "reminder" || kind === "cancelled") return kind
  return `${kind}-${kind === "stalled" ? generation.ticket : (draft?.number ?? 0)}`
}

/** A worker's claim of a mail for one attempt to send the mail. */
export interface MailAttempt {
  readonly id: string
  readonly attempts: number
  readonly ticket: number
}

/** The result of one workflow step. The store writes the complete change in one transaction. */
export interface AssignmentChange {
  /** The assignment after the step. A step that changes nothing returns the same object as the argument. */
  readonly assignment: Assignment
  readonly notices: ReadonlyArray<CreatorNotice>
  readonly audit?: Pick<AuditEntry, "action" | "details">
  /**
   * A delivered mail, which the transaction of the change marks as sent. If the mail's ticket is outdated, the mail is
   * not marked.
   */
  readonly delivered?: MailAttempt
  /** The audio and video to produce from the approved text, according to the topic's output types. */
  readonly mediaRequests?: ReadonlyArray<MediaRequest>
  /**
   * The kind of media whose URL the change stores. The transaction that stores the URL of the media also ends the media
   * job.
   */
  readonly readyMedium?: MediaKind
}

/** The error when the assignment's current state does not allow an action. A refused action changes nothing. */
export class ActionRefused extends Schema.TaggedError<ActionRefused>()("ActionRefused", {
  reason: Schema.Literals([
    "not_allowed",
    "too_late",
    "settled",
    "stale_draft",
    "draft_not_named",
    "too_many_drafts",
    "busy"
  ]),
  status: AssignmentStatus
}) {}

type Step = Result.Result<AssignmentChange, ActionRefused>

export const respond = (present: Assignment, action: { readonly perspective: string }, now: Instant.Instant): Step => {
  if (present.status !== "topic_sent") {
    return present.perspective === action.perspective ? unchanged(present) : refuse(present, "not_allowed")
  }
  if (present.failure !== null) return refuse(present, "settled")
  if (now >= present.respondBy) return refuse(present, "too_late")
  return changed(
    {
      ...moveToStatus(present, "respond", now),
      perspective: action.perspective,
      respondedAt: now,
      generation: { ticket: 0, running: false, attempts: 0, nextAt: now, giveUpAt: null, revision: null }
    },
    { audit: { action: "creator.responded", details: {} } }
  )
}

export const decline = (
  present: Assignment,
  action: { readonly reason: string | null },
  now: Instant.Instant
): Step => {
  if (present.status === "declined" && present.declineReason === action.reason) return unchanged(present)
  if (present.status !== "topic_sent") return refuse(present, "not_allowed")
  if (present.failure !== null) return refuse(present, "settled")
  if (now >= present.respondBy) return refuse(present, "too_late")
  return changed(
    { ...failAssignment(moveToStatus(present, "decline", now), "declined", now), declineReason: action.reason },
    {
      audit: { action: "creator.declined", details: {} }
    }
  )
}

export const approve = (
  present: Assignment,
  action: {
    readonly draftId: DraftId | null
    /** The creator's edited text; null when the creator approves the draft unchanged. */
    readonly content: string | null
    readonly commentaryId: CommentaryId
    /** The SHA-256 of the approved text, which the audit log records. */
    readonly contentHash: string
    readonly mediaRequests?: ReadonlyArray<MediaRequest>
  },
  now: Instant.Instant
): Step => {
  const { commentary, draft } = present
  if (commentary !== null && draft !== null) {
    const same =
      (action.draftId ?? draft.id) === commentary.draftId && (action.content ?? draft.content) === commentary.content
    return same ? unchanged(present) : refuse(present, "not_allowed")
  }
  const refused = refusalOfDraftAction(present, action.draftId, now)
  if (refused !== null || draft === null) return refuse(present, refused ?? "not_allowed")
  const approved = {
    id: action.commentaryId,
    content: action.content ?? draft.content,
    draftId: draft.id,
    approvedAt: now,
    partnerApprovedAt: null,
    audioUrl: null,
    videoUrl: null
  }
  return changed(
    { ...moveToStatus(present, "approve", now), commentary: approved },
    {
      audit: { action: "creator.approved", details: { commentary_id: approved.id, sha256: action.contentHash } },
      mediaRequests: action.mediaRequests ?? []
    }
  )
}

/** Requests another draft. If all attempts to generate the first draft failed, the request restarts generation. */
export const requestRevision = (
  present: Assignment,
  action: { readonly draftId: DraftId | null; readonly instructions: string },
  now: Instant.Instant,
  policy: Policy
): Step => {
  const { draft, generation } = present
  if (draft === null && action.draftId === null) {
    if (isRestarted(present)) return unchanged(present)
    if (isGenerationStalled(present)) return restartGeneration(present, now, "creator.restarted")
  }
  const { revision } = generation
  const repeated =
    revision !== null &&
    revision.draftId === (action.draftId ?? draft?.id) &&
    revision.instructions === action.instructions
  if (repeated && (generation.nextAt !== null || revision.draftId !== draft?.id)) return unchanged(present)
  const refused = refusalOfDraftAction(present, action.draftId, now)
  if (refused !== null || draft === null) return refuse(present, refused ?? "not_allowed")
  if (generation.nextAt !== null) return refuse(present, "busy")
  if (draft.number >= policy.maxDrafts) return refuse(present, "too_many_drafts")
  return changed(
    {
      ...present,
      generation: {
        ...generation,
        attempts: 0,
        nextAt: now,
        giveUpAt: null,
        revision: { draftId: draft.id, instructions: action.instructions }
      }
    },
    { audit: { action: "creator.revised", details: { draft_id: draft.id } } }
  )
}

export const withdraw = (
  present: Assignment,
  action: { readonly reason: string | null },
  now: Instant.Instant
): Step => {
  if (present.failure?.reason === "withdrawn" && present.withdrawReason === action.reason) return unchanged(present)
  const refused = refusalOfDraftAction(present, present.draft?.id ?? null, now)
  if (refused !== null) return refuse(present, refused)
  return changed(
    { ...failAssignment(present, "withdrawn", now), withdrawReason: action.reason },
    {
      audit: { action: "creator.withdrew", details: {} }
    }
  )
}

/**
 * Cancels the assignment for the partner. If the creator has answered or the deadline is reached, the cancellation
 * changes nothing. If the request mail is being sent during the cancellation, or may have arrived before, the worker
 * later records the delivery, which queues a mail to the creator about the cancellation.
 */
export const cancel = (
  present: Assignment,
  action: { readonly by: string },
  now: Instant.Instant
): AssignmentChange => {
  if (present.status !== "topic_sent" || isAssignmentSettled(present) || now >= present.respondBy)
    return { assignment: present, notices: [] }
  return makeChange(failAssignment(present, "cancelled", now), {
    audit: { action: "partner.cancelled", details: { by: action.by } },
    notices: present.notifiedAt === null ? [] : cancellationNotices(present)
  })
}

/** Returns the mail about a cancellation; none in the test environment, which sends no mail. */
const cancellationNotices = (present: Assignment): ReadonlyArray<CreatorNotice> =>
  present.environment === "test" ? [] : [{ kind: "cancelled", occasion: makeNoticeOccasion("cancelled", present) }]

/** Returns true while the request mail is not delivered and the creator can still respond. */
export const isRequestMailUndelivered = (
  { failure, notifiedAt, respondBy, status }: Assignment,
  now: Instant.Instant
): boolean => notifiedAt === null && status === "topic_sent" && failure === null && now < respondBy

/**
 * Records that the request mail was delivered. The first delivery of the request mail starts the full response window.
 * A deadline that has passed, or that the partner has set, stays unchanged.
 */
export const recordRequestMailDelivery = (
  present: Assignment,
  mail: MailAttempt,
  now: Instant.Instant,
  policy: Policy
): AssignmentChange => {
  if (!isRequestMailUndelivered(present, now)) return recordLateRequestMailDelivery(present, mail, now)
  const respondBy = present.isDeadlineFixed ? present.respondBy : Instant.plus(now, policy.responseWindow)
  const next = { ...present, notifiedAt: now, respondBy }
  return { assignment: { ...next, dueAt: nextDueAt(next) }, notices: [], delivered: mail }
}

/**
 * Records the delivery of a request mail that opens no response window, because the creator has answered or the partner
 * has cancelled. An answer proves that the mail arrived before the answer.
 */
export const recordLateRequestMailDelivery = (
  present: Assignment,
  mail: MailAttempt,
  deliveredAt: Instant.Instant
): AssignmentChange => {
  const { failure, notifiedAt, respondedAt } = present
  const isCancelled = failure?.reason === "cancelled"
  if (notifiedAt !== null || (!isCancelled && respondedAt === null))
    return { assignment: present, notices: [], delivered: mail }
  return {
    assignment: { ...present, notifiedAt: Math.min(deliveredAt, respondedAt ?? deliveredAt) },
    notices: isCancelled ? cancellationNotices(present) : [],
    delivered: mail
  }
}

/**
 * Returns the response deadline after the permanent failure of the request mail. The deadline is the submission time
 * plus the mail window and the response window.
 */
export const calculateDeadlineAfterMailFailure = (createdAt: Instant.Instant, policy: Policy): Instant.Instant =>
  Instant.plus(Instant.plus(createdAt, policy.mailWindow), policy.responseWindow)

/**
 * Records that the request mail failed permanently, and sets an earlier response deadline. The new deadline is at least
 * `mailWindow` after now, so that an operator can still correct the creator's address. A deadline that the partner has
 * set stays unchanged.
 */
export const recordRequestMailFailure = (
  present: Assignment,
  now: Instant.Instant,
  policy: Policy
): AssignmentChange => {
  const respondBy = Math.max(
    calculateDeadlineAfterMailFailure(present.createdAt, policy),
    Instant.plus(now, policy.mailWindow)
  )
  if (present.isDeadlineFixed || !isRequestMailUndelivered(present, now) || respondBy >= present.respondBy)
    return { assignment: present, notices: [] }
  return makeChange({ ...present, respondBy })
}

/** Returns true when all generation attempts failed and a restart is allowed. */
export const isGenerationStalled = (present: Assignment): boolean =>
  !isAssignmentSettled(present) && present.generation.nextAt === null && present.generation.attempts > 0

/**
 * Returns true if generation was restarted after all attempts failed. After a restart, the ticket is higher than the
 * number of attempts, because this number starts again at 0.
 */
const isRestarted = ({ generation }: Assignment): boolean =>
  generation.nextAt !== null && generation.ticket > generation.attempts

/** Restarts generation after all attempts failed. An operator or the creator requests the restart of generation. */
export const restartGeneration = (present: Assignment, now: Instant.Instant, action: string): Step => {
  if (!isGenerationStalled(present)) return refuse(present, isAssignmentSettled(present) ? "settled" : "not_allowed")
  const { approveBy, generation } = present
  if (now >= Math.min(generation.giveUpAt ?? now + 1, approveBy ?? now + 1)) return refuse(present, "too_late")
  return changed(
    { ...present, generation: { ...present.generation, attempts: 0, nextAt: now, giveUpAt: null } },
    { audit: { action, details: action.startsWith("operator") ? { by: "operator" } : {} } }
  )
}

/** Returns true when the last generation attempt failed and a retry is scheduled. */
const isWaiting = ({ generation }: Assignment): boolean =>
  generation.nextAt !== null && !generation.running && generation.attempts > 0

/**
 * Makes the scheduled retry of generation due now. If all attempts failed, `retryGenerationNow` restarts generation.
 */
export const retryGenerationNow = (present: Assignment, now: Instant.Instant): Step =>
  isWaiting(present)
    ? changed(
        { ...present, generation: { ...present.generation, nextAt: now } },
        { audit: { action: "operator.hastened", details: { by: "operator" } } }
      )
    : restartGeneration(present, now, "operator.restarted")

export const moveToStatus = (present: Assignment, trigger: Trigger, now: Instant.Instant): Assignment => {
  const status = workflowTransitions[present.status][trigger]
  if (status === undefined) return present
  return { ...present, status, statusUpdatedAt: now, reminders: 0 }
}

export const failAssignment = (present: Assignment, reason: FailureReason, now: Instant.Instant): Assignment => ({
  ...present,
  failure: { reason, at: now }
})

/**
 * Makes the change that results in the assignment `next`, and recalculates the due time. If `next` is settled, its
 * draft generation and simulation end.
 */
export const makeChange = (
  next: Assignment,
  also: Omit<Partial<AssignmentChange>, "assignment"> = {}
): AssignmentChange => ({
  notices: [],
  ...also,
  assignment: {
    ...next,
    generation: isAssignmentSettled(next)
      ? { ...next.generation, running: false, nextAt: null, giveUpAt: null }
      : next.generation,
    simulation:
      isAssignmentSettled(next) && next.simulation !== null ? { ...next.simulation, nextAt: null } : next.simulation,
    dueAt: nextDueAt(next)
  }
})

const changed = (...args: Parameters<typeof makeChange>): Step => Result.succeed(makeChange(...args))

const unchanged = (present: Assignment): Step => Result.succeed({ assignment: present, notices: [] })

const refuse = (present: Assignment, reason: ActionRefused["reason"]): Step =>
  Result.fail(new ActionRefused({ reason, status: present.status }))

/** Returns the reason to refuse an action on the draft; null when the action is allowed. */
const refusalOfDraftAction = (
  present: Assignment,
  draftId: DraftId | null,
  now: Instant.Instant
): ActionRefused["reason"] | null => {
  if (present.status !== "commentary_generated" || present.draft === null) return "not_allowed"
  if (present.failure !== null) return "settled"
  if (present.approveBy !== null && now >= present.approveBy) return "too_late"
  if (draftId === null && present.draft.number > 1) return "draft_not_named"
  return draftId === null || draftId === present.draft.id ? null : "stale_draft"
}
