/**
 * Decides the next step of a due assignment and the result of a generation attempt. All functions are pure.
 */
import * as Option from "effect/Option"
import { lostAttemptReason } from "../shared/Attempt.ts"
import { clockToleranceMillis, findLatestPlausibleDueTime, type LatestPlausibleDueTimes } from "../shared/DueTimes.ts"
import type { DraftId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Policy } from "../shared/Policy.ts"
import { type Assignment, isAssignmentSettled, nextReminderAt } from "../topic/Assignment.ts"
import {
  type AssignmentChange,
  type CreatorNotice,
  type CreatorNoticeKind,
  failAssignment,
  makeChange,
  makeNoticeOccasion,
  moveToStatus
} from "../topic/Workflow.ts"

/**
 * Returns the step of an assignment that is due at the time `now`; none when no step is due. If a deadline has passed,
 * the step that ends the assignment comes before all other steps.
 */
export const findDueStep = (
  present: Assignment,
  now: Instant.Instant,
  policy: Policy
): Option.Option<AssignmentChange> => {
  if (isAssignmentSettled(present)) return Option.none()
  const { approveBy, generation, respondBy, status } = present
  if (status === "topic_sent" && now >= respondBy) return Option.some(endAfterMissedDeadline(present, now))
  if (status === "commentary_generated" && approveBy !== null && now >= approveBy) {
    return Option.some(endAfterMissedDeadline(present, now))
  }
  if (generation.giveUpAt !== null && now >= generation.giveUpAt)
    return Option.some(endAfterGenerationFailures(present, now))
  if (generation.nextAt !== null && now >= generation.nextAt) {
    return Option.some(
      generation.attempts > policy.generationRetries.length
        ? stallAtDueTime(present, now, policy)
        : begin(present, now, policy)
    )
  }
  const reminder = nextReminderAt(present)
  return reminder !== null && now >= reminder ? Option.some(remind(present)) : Option.none()
}

/** Ends an assignment whose response deadline or approval deadline has passed. */
export const endAfterMissedDeadline = (present: Assignment, now: Instant.Instant): AssignmentChange =>
  makeChange(
    present.status === "topic_sent"
      ? failAssignment(moveToStatus(present, "expire", now), "expired", now)
      : failAssignment(present, "approval_timeout", now)
  )

/** Ends the assignment after all generation attempts failed and the grace period for a restart has ended. */
export const endAfterGenerationFailures = (present: Assignment, now: Instant.Instant): AssignmentChange =>
  makeChange(failAssignment(present, "generation_failed", now))

/**
 * Returns true if this change of an assignment started a generation attempt. If a change starts a generation attempt, a
 * worker must run the attempt.
 */
export const startsGenerationAttempt = (before: Assignment, after: Assignment): boolean =>
  after.generation.ticket > before.generation.ticket

/**
 * Stores a generated draft. Discards the draft if its attempt is no longer the running attempt, the assignment has
 * failed, or the approval deadline has passed.
 */
export const applyGeneratedDraft = (
  present: Assignment,
  attempt: { readonly ticket: number; readonly draftId: DraftId; readonly content: string },
  now: Instant.Instant,
  policy: Policy
): AssignmentChange => {
  if (!isAwaited(present, attempt.ticket, now)) return { assignment: present, notices: [] }
  const draft = {
    id: attempt.draftId,
    number: (present.draft?.number ?? 0) + 1,
    content: attempt.content,
    createdAt: now
  }
  return makeChange(
    {
      ...moveToStatus(present, "draft", now),
      draft,
      firstDraftedAt: present.firstDraftedAt ?? now,
      approveBy: Instant.plus(now, policy.approvalWindow),
      reminders: 0,
      generation: { ...present.generation, running: false, attempts: 0, nextAt: null, giveUpAt: null }
    },
    { notices: notices({ ...present, draft }, "draft") }
  )
}

/**
 * Starts and completes a generation attempt in one change. The caller of `completeGenerationImmediately` passes the
 * text of the draft.
 */
export const completeGenerationImmediately = (
  present: Assignment,
  draft: { readonly draftId: DraftId; readonly content: string },
  now: Instant.Instant,
  policy: Policy
): AssignmentChange => {
  const begun = begin(present, now, policy).assignment
  return applyGeneratedDraft(begun, { ...draft, ticket: begun.generation.ticket }, now, policy)
}

/** Schedules the next attempt after a failed attempt, or stops generation. The audit log records the reason. */
export const applyGenerationFailure = (
  present: Assignment,
  attempt: { readonly ticket: number; readonly permanent: boolean; readonly reason?: string },
  now: Instant.Instant,
  policy: Policy
): AssignmentChange => {
  if (!isAwaited(present, attempt.ticket, now)) return { assignment: present, notices: [] }
  const { permanent } = attempt
  const audit = auditOfFailure(attempt)
  const delay = policy.generationRetries[present.generation.attempts - 1]
  if (permanent || delay === undefined) return { ...stall(present, now, policy), audit }
  return makeChange(
    { ...present, generation: { ...present.generation, running: false, nextAt: Instant.plus(now, delay) } },
    { audit }
  )
}

/** The audit log's action for a failed generation attempt. */
export const generationFailedAuditAction = "generation.attempt_failed"

const auditOfFailure = (attempt: {
  readonly ticket: number
  readonly permanent: boolean
  readonly reason?: string
}): NonNullable<AssignmentChange["audit"]> => ({
  action: generationFailedAuditAction,
  details: {
    by: "service",
    ticket: attempt.ticket,
    permanent: attempt.permanent,
    reason: recordable(attempt.reason ?? "")
  }
})

/**
 * Cuts the reason at its first quotation mark, because a quoted text may contain the creator's words. The operator's
 * log keeps the full reason.
 */
const recordable = (reason: string): string =>
  Array.from(reason.replace(/".*$/su, "…")).slice(0, longestReason).join("")

const longestReason = 300

/**
 * Releases an attempt that a stopping worker interrupted. An interrupted generation attempt is not counted, and the
 * next attempt is due now.
 */
export const releaseGenerationAttempt = (
  present: Assignment,
  ticket: number,
  now: Instant.Instant
): AssignmentChange =>
  isAwaited(present, ticket, now)
    ? makeChange({
        ...present,
        generation: {
          ...present.generation,
          ticket: present.generation.ticket - 1,
          running: false,
          attempts: present.generation.attempts - 1,
          nextAt: now
        }
      })
    : { assignment: present, notices: [] }

/**
 * Makes a generation attempt or a simulated step due earlier if a fast clock set its due time too late. A running
 * attempt gets a full lease from now. The creator's deadlines stay the same, because mails have already stated them.
 */
export const repairDueTimes = (
  present: Assignment,
  latest: LatestPlausibleDueTimes,
  step: Instant.Instant
): AssignmentChange => {
  const { generation, simulation } = present
  const isLate = (at: Instant.Instant | null, bound: Instant.Instant) =>
    at !== null && at > bound + clockToleranceMillis
  const nextAt = isLate(
    generation.nextAt,
    generation.running ? latest.leased : findLatestPlausibleDueTime(latest, generation.attempts)
  )
    ? generation.running
      ? latest.leased
      : latest.now
    : generation.nextAt
  const stepAt = simulation !== null && isLate(simulation.nextAt, step) ? latest.now : simulation?.nextAt
  return nextAt === generation.nextAt && stepAt === simulation?.nextAt
    ? { assignment: present, notices: [] }
    : makeChange({
        ...present,
        generation: { ...generation, nextAt },
        simulation: simulation && { ...simulation, nextAt: stepAt ?? null }
      })
}

/**
 * Returns true if the result of this attempt is still valid: the assignment has not failed, the attempt is the running
 * attempt, and no approval deadline has passed.
 */
const isAwaited = ({ approveBy, failure, generation }: Assignment, ticket: number, now: Instant.Instant): boolean =>
  failure === null && generation.running && generation.ticket === ticket && (approveBy === null || now < approveBy)

/**
 * Starts a generation attempt. If the attempt records no outcome within the lease, the attempt is lost and the next
 * attempt starts.
 */
const begin = (present: Assignment, now: Instant.Instant, policy: Policy): AssignmentChange =>
  makeChange({
    ...present,
    generation: {
      ...present.generation,
      ticket: present.generation.ticket + 1,
      running: true,
      attempts: present.generation.attempts + 1,
      nextAt: Instant.plus(now, policy.lease)
    }
  })

/**
 * Stops generation after the last attempt or a permanent failure. If the assignment has no draft, generation can be
 * restarted during the grace period. An assignment that has a draft keeps its latest draft.
 */
const stall = (present: Assignment, now: Instant.Instant, policy: Policy): AssignmentChange =>
  makeChange(
    {
      ...present,
      generation: {
        ...present.generation,
        running: false,
        nextAt: null,
        giveUpAt: present.draft === null ? Instant.plus(now, policy.generationGrace) : null
      }
    },
    { notices: notices(present, "stalled") }
  )

/**
 * Stops generation when another attempt is due but none is left. If the last attempt has no result, the audit log
 * records that the attempt was lost.
 */
const stallAtDueTime = (present: Assignment, now: Instant.Instant, policy: Policy): AssignmentChange => {
  const stalled = stall(present, now, policy)
  const { running, ticket } = present.generation
  return running
    ? { ...stalled, audit: auditOfFailure({ ticket, permanent: false, reason: lostAttemptReason }) }
    : stalled
}

const remind = (present: Assignment): AssignmentChange => {
  const next = { ...present, reminders: present.reminders + 1 }
  if (present.draft === null) return makeChange(next, { notices: notices(present, "reminder") })
  return makeChange(next, {
    notices: notices(present, present.reminders === 0 ? "approval_reminder" : "approval_last_call")
  })
}

/** Returns the mail of this kind, or none in the test environment, which sends no mail. */
const notices = (assignment: Assignment, kind: CreatorNoticeKind): ReadonlyArray<CreatorNotice> =>
  assignment.environment === "test" ? [] : [{ kind, occasion: makeNoticeOccasion(kind, assignment) }]
