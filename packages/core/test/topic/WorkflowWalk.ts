/** Runs the workflow in parallel with its model and checks the invariants after every step. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { assert } from "vitest"
import {
  applyGeneratedDraft,
  applyGenerationFailure,
  findDueStep,
  startsGenerationAttempt
} from "../../src/commentary/Generation.ts"
import type { Assignment } from "../../src/topic/Assignment.ts"
import type { ActionRefused, AssignmentChange, CreatorNotice } from "../../src/topic/Workflow.ts"
import * as Workflow from "../../src/topic/Workflow.ts"
import { makeCommentaryId, makeDraftId } from "./SampleAssignments.ts"
import type { WalkAction } from "./WorkflowActions.ts"
import {
  computeExpectedDeadline,
  expectedTransitions,
  findAttemptTicket,
  isFinalStatus,
  isPastDeadline,
  predictActionResult,
  resolveDraftReference,
  statusByFailureReason,
  toMillis,
  type WorkflowWalk
} from "./WorkflowModel.ts"

const hour = 3_600_000

type Step = Result.Result<AssignmentChange, ActionRefused>

const take = (walk: WorkflowWalk, action: WalkAction): Step => {
  const { now, policy, present } = walk
  const same = Result.succeed({ assignment: present, notices: [] })
  switch (action.do) {
    case "wait":
      return same
    case "wake":
      return Option.match(findDueStep(present, now, policy), { onNone: () => same, onSome: Result.succeed })
    case "notified":
      return Result.succeed(
        Workflow.recordRequestMailDelivery(present, { id: "mail", attempts: 1, ticket: 1 }, now, policy)
      )
    case "cancel":
      return Result.succeed(Workflow.cancel(present, { by: "key" }, now))
    case "restart":
      return Workflow.restartGeneration(present, now, "operator.restarted")
    case "respond":
      return Workflow.respond(present, { perspective: action.words }, now)
    case "decline":
      return Workflow.decline(present, { reason: action.words }, now)
    case "withdraw":
      return Workflow.withdraw(present, { reason: action.words }, now)
    case "approve": {
      const about = resolveDraftReference(walk, action.draft) as ReturnType<typeof makeDraftId> | null
      const id = makeCommentaryId(walk.drafts.length)
      return Workflow.approve(
        present,
        { draftId: about, content: action.words, commentaryId: id, contentHash: "" },
        now
      )
    }
    case "revise": {
      const about = resolveDraftReference(walk, action.draft) as ReturnType<typeof makeDraftId> | null
      return Workflow.requestRevision(present, { draftId: about, instructions: action.words }, now, policy)
    }
    case "drafted": {
      const ticket = findAttemptTicket(walk, action)
      if (!walk.attempts.has(ticket)) return same
      const attempt = {
        ticket,
        draftId: makeDraftId(walk.drafts.length + 1),
        content: `draft ${walk.drafts.length + 1}`
      }
      return Result.succeed(applyGeneratedDraft(present, attempt, now, policy))
    }
    case "attempt failed": {
      const ticket = findAttemptTicket(walk, action)
      if (!walk.attempts.has(ticket)) return same
      return Result.succeed(applyGenerationFailure(present, { ticket, permanent: action.permanent }, now, policy))
    }
  }
}

const pass = (walk: WorkflowWalk, action: WalkAction & { readonly do: "wait" }) => {
  const due = walk.present.dueAt ?? walk.now
  const end = computeExpectedDeadline(walk) ?? walk.now
  const to = { later: walk.now + action.ms, "before due": due - 1, due, "before deadline": end - 1, deadline: end }
  walk.now = Math.max(walk.now, to[action.until])
}

/** Takes one step, and checks the step's result and the invariants. */
export const takeWalkStep = (walk: WorkflowWalk, action: WalkAction): void => {
  if (action.do === "wait") pass(walk, action)
  const { now, policy, present: before } = walk
  const late = isPastDeadline(walk)
  const verdict = predictActionResult(walk, action)
  const result = take(walk, action)
  const after = Result.isSuccess(result) ? result.success.assignment : before
  const changed = after !== before
  if (verdict === "changes") assert.isTrue(changed, "must change")
  else if (verdict !== "either") assert.strictEqual(after, before, "must not change")
  if (verdict === "refused") assert.isTrue(Result.isFailure(result), "must be refused")
  if (verdict === "same") assert.isTrue(Result.isSuccess(result), "must be answered as it is")

  if (after.status !== before.status)
    assert.include(expectedTransitions, `${before.status} -${action.do}-> ${after.status}`)
  assert.strictEqual(after.statusUpdatedAt, after.status === before.status ? before.statusUpdatedAt : now)
  if (action.do === "notified" && before.perspective !== null)
    assert.deepStrictEqual(after, { ...before, notifiedAt: before.notifiedAt ?? before.respondedAt })
  else if (late && changed && action.do !== "attempt failed")
    assert.isTrue(isFinalStatus(after), "past its deadline nothing happens but the end")
  const ends = action.do === "wake" || (action.do === "cancel" && changed)
  if (late) assert.strictEqual(after.failure !== null, ends || before.failure !== null)

  assert.isTrue(isFinalStatus(after) || !isFinalStatus(before), "a settled assignment never opens again")
  assert.strictEqual(after.dueAt === null, isFinalStatus(after), "due exactly while not settled")
  assert.strictEqual(after.failure !== null, isFinalStatus(after) && after.status !== "creator_approved")
  if (after.failure !== null) assert.strictEqual(after.status, statusByFailureReason[after.failure.reason])
  assert.strictEqual(after.commentary !== null, after.status === "creator_approved")
  assert.strictEqual(after.respondedAt, action.do === "respond" && changed ? now : before.respondedAt)
  assert.strictEqual(after.respondedAt !== null, after.perspective !== null)
  const isFirstDraft = action.do === "drafted" && changed && before.draft === null
  assert.strictEqual(after.firstDraftedAt, isFirstDraft ? now : before.firstDraftedAt)
  assert.strictEqual(after.firstDraftedAt !== null, after.draft !== null)

  const given = Result.isSuccess(result) ? result.success.notices : []
  remember(walk, action, after, given)
  assert.strictEqual(walk.present.generation.nextAt !== null, walk.wanted, "attempts are due exactly while wanted")
  assert.strictEqual(walk.present.generation.giveUpAt, isFinalStatus(after) ? null : walk.giveUpAt)
  assert.isAtMost(walk.drafts.length, policy.maxDrafts)
  assert.strictEqual(after.draft?.id ?? null, walk.drafts.at(-1) ?? null)
  assert.strictEqual(after.draft?.number ?? 0, walk.drafts.length)
  if (!isFinalStatus(after) && after.status !== "opinion_injected")
    assert.strictEqual(after.status === "topic_sent" ? after.respondBy : after.approveBy, computeExpectedDeadline(walk))
  checkDueTime(walk)
}

/**
 * Checks that a step is due at the due time and not earlier. An overdue assignment must have no due step after at most
 * four steps.
 */
const checkDueTime = ({ now, policy, present }: WorkflowWalk) => {
  const { dueAt } = present
  if (dueAt === null) return assert.isTrue(Option.isNone(findDueStep(present, now + 1000 * hour, policy)))
  assert.isTrue(Option.isNone(findDueStep(present, dueAt - 1, policy)), "nothing happens before it is due")
  let next: Assignment = present
  for (let times = 0; next.dueAt !== null && next.dueAt <= Math.max(now, dueAt); times++) {
    assert.isBelow(times, 4, "being overdue ends")
    const change = findDueStep(next, Math.max(now, dueAt), policy)
    next = Option.getOrThrow(change).assignment
  }
}

/** Updates the model after an action. */
const remember = (walk: WorkflowWalk, action: WalkAction, after: Assignment, given: ReadonlyArray<CreatorNotice>) => {
  const { now, policy, present: before } = walk
  const latest = findAttemptTicket(walk, { back: 0 })
  walk.present = after
  if (before.environment === "test") assert.deepStrictEqual(given, [], "the test environment sends no mail")
  for (const notice of given) checkNotice(walk, before, notice)
  if (after === before) return
  const stall = () => {
    walk.wanted = false
    walk.giveUpAt = before.draft === null ? now + toMillis(policy.generationGrace) : null
  }
  if (action.do === "respond" || action.do === "restart" || action.do === "revise") {
    if (action.do === "revise" && before.draft !== null)
      walk.revised = { draft: resolveDraftReference(walk, action.draft) ?? before.draft.id, words: action.words }
    Object.assign(walk, { wanted: true, begun: 0, giveUpAt: null })
    assert.strictEqual(after.generation.nextAt, now)
  }
  if (action.do === "drafted") {
    walk.attempts.set(latest, "ended")
    walk.drafts.push(after.draft?.id ?? "none")
    Object.assign(walk, { wanted: false, begun: 0, giveUpAt: null })
  }
  if (action.do === "attempt failed") {
    walk.attempts.set(latest, "ended")
    const delay = policy.generationRetries[walk.begun - 1]
    if (action.permanent || delay === undefined) stall()
    else assert.strictEqual(after.generation.nextAt, now + toMillis(delay))
  }
  if (action.do === "wake" && !isFinalStatus(after) && now >= (before.generation.nextAt ?? Number.POSITIVE_INFINITY)) {
    if (walk.attempts.get(latest) === "running") walk.attempts.set(latest, "lost")
    if (walk.begun > policy.generationRetries.length) {
      assert.isFalse(startsGenerationAttempt(before, after))
      stall()
    } else {
      walk.begun += 1
      assert.isAbove(after.generation.ticket, latest, "a ticket for each attempt")
      assert.isTrue(startsGenerationAttempt(before, after))
      walk.attempts.set(after.generation.ticket, "running")
      assert.strictEqual(after.generation.nextAt, now + toMillis(policy.lease))
    }
  }
  if (isFinalStatus(after)) walk.wanted = false
}

const checkNotice = ({ notices, now, policy }: WorkflowWalk, before: Assignment, notice: CreatorNotice) => {
  assert.notDeepInclude(notices, notice, "a notice goes out once")
  notices.push(notice)
  const half = { reminder: 0.5, approval_reminder: 0.5, approval_last_call: 0.9 }
  const { draft, notifiedAt, respondBy } = before
  if (notice.kind === "reminder") {
    const from = notifiedAt ?? Number.POSITIVE_INFINITY
    assert.isAtLeast(now, Math.round(from + (respondBy - from) * half.reminder))
  }
  if (notice.kind === "approval_reminder" || notice.kind === "approval_last_call") {
    const from = draft?.createdAt ?? Number.POSITIVE_INFINITY
    assert.isAtLeast(now, Math.round(from + toMillis(policy.approvalWindow) * half[notice.kind]))
  }
}
