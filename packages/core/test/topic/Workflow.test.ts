import { describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert } from "vitest"
import { applyGeneratedDraft, applyGenerationFailure, findDueStep } from "../../src/commentary/Generation.ts"
import { defaults as policy } from "../../src/shared/Policy.ts"
import type { Assignment } from "../../src/topic/Assignment.ts"
import * as Workflow from "../../src/topic/Workflow.ts"
import {
  getAssignmentOrThrow,
  getRefusalReason,
  makeAssignmentInGeneration,
  makeAssignmentWithDraft,
  makeCommentaryId,
  makeDraftId,
  makeNewAssignment,
  noonInMillis,
  runStepAtDueTime
} from "./SampleAssignments.ts"
import { arbitraryActions, arbitraryPolicies } from "./WorkflowActions.ts"
import { startWorkflowWalk } from "./WorkflowModel.ts"
import { takeWalkStep } from "./WorkflowWalk.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const perspective = "It was unfair."
const approval = { draftId: makeDraftId(1), content: null, commentaryId: makeCommentaryId(1), contentHash: "" }
const revision = { draftId: makeDraftId(1), instructions: "Shorter." }
const silence = { reason: null }

/**
 * Starts every generation attempt and lets each lease expire. Returns the stalled assignment and the ticket of the last
 * attempt.
 */
const lost = (present: Assignment): { readonly stalled: Assignment; readonly ticket: number } => {
  const { assignment } = runStepAtDueTime(present, policy)
  if (assignment.generation.nextAt !== null) return lost(assignment)
  return { stalled: assignment, ticket: present.generation.ticket }
}

describe("Workflow", () => {
  const environment = fc.constantFrom("live" as const, "test" as const)
  const reached = new Set<string>()

  it("the workflow allows only the specified transitions for any sequence of actions and times", () =>
    fc.assert(
      fc.property(arbitraryPolicies(policy), environment, arbitraryActions, (figures, where, taken) => {
        const walk = startWorkflowWalk(figures, where)
        for (const action of taken) {
          takeWalkStep(walk, action)
          reached.add(walk.present.failure?.reason ?? walk.present.status)
        }
      }),
      { numRuns: 1000 }
    ))

  it("the random walks of the workflow reach every state", () => {
    const settled = ["creator_approved", "declined", "expired", "generation_failed", "approval_timeout", "withdrawn"]
    assert.sameMembers(
      [...reached],
      ["cancelled", "topic_sent", "opinion_injected", "commentary_generated", ...settled]
    )
  })

  it("the workflow's transition table equals the table of the specification", () => {
    assert.deepStrictEqual(Workflow.workflowTransitions, {
      topic_sent: { respond: "opinion_injected", decline: "declined", expire: "expired" },
      opinion_injected: { draft: "commentary_generated" },
      commentary_generated: { approve: "creator_approved" },
      creator_approved: {},
      declined: {},
      expired: {}
    })
  })
})

describe("Deadlines", () => {
  it("a creator can respond or decline until exactly the end of the response window", () => {
    const sent = Workflow.recordRequestMailDelivery(
      makeNewAssignment(policy),
      { id: "mail", attempts: 1, ticket: 1 },
      noonInMillis + hour,
      policy
    ).assignment
    assert.strictEqual(sent.respondBy, noonInMillis + 49 * hour)
    for (const act of [
      (now: number) => Workflow.respond(sent, { perspective }, now),
      (now: number) => Workflow.decline(sent, silence, now)
    ]) {
      assert.isNull(getRefusalReason(act(sent.respondBy - 1)))
      assert.strictEqual(getRefusalReason(act(sent.respondBy)), "too_late")
    }
  })

  it("a partner can cancel an assignment until the response deadline, when the assignment expires", () => {
    const fresh = makeNewAssignment(policy)
    const before = Workflow.cancel(fresh, { by: "key" }, fresh.respondBy - 1)
    assert.strictEqual(before.assignment.failure?.reason, "cancelled")
    for (const late of [fresh.respondBy, fresh.respondBy + hour]) {
      const { assignment, notices } = Workflow.cancel(fresh, { by: "key" }, late)
      assert.strictEqual(assignment, fresh)
      assert.deepStrictEqual(notices, [])
    }
    assert.strictEqual(runStepAtDueTime(fresh, policy).assignment.failure?.reason, "expired")
  })

  it("the response window starts when the request mail is delivered; without a delivery, the deadline is seven days after submission", () => {
    const fresh = makeNewAssignment(policy)
    assert.strictEqual(fresh.respondBy, noonInMillis + 7 * day)
    const notified = (at: number) =>
      Workflow.recordRequestMailDelivery(fresh, { id: "mail", attempts: 1, ticket: 1 }, at, policy).assignment
    assert.strictEqual(notified(noonInMillis + 30 * hour).respondBy, noonInMillis + 78 * hour)
    assert.strictEqual(notified(noonInMillis + 7 * day - 1).respondBy, noonInMillis + 9 * day - 1)
    assert.strictEqual(notified(noonInMillis + 7 * day), fresh, "a mail that comes after the deadline extends nothing")
  })

  it("after the request mail fails permanently, the deadline is 72 hours after submission, but at least a day after the failure", () => {
    const fresh = makeNewAssignment(policy)
    const at = (now: number) => Workflow.recordRequestMailFailure(fresh, now, policy).assignment
    assert.strictEqual(at(noonInMillis).respondBy, noonInMillis + 72 * hour)
    assert.strictEqual(at(noonInMillis).dueAt, noonInMillis + 72 * hour)
    assert.strictEqual(at(noonInMillis + 70 * hour).respondBy, noonInMillis + 94 * hour)
    assert.strictEqual(at(noonInMillis + 7 * day - 1), fresh, "nothing is extended")
    const sent = Workflow.recordRequestMailDelivery(
      fresh,
      { id: "mail", attempts: 1, ticket: 1 },
      noonInMillis,
      policy
    ).assignment
    assert.strictEqual(
      Workflow.recordRequestMailFailure(sent, noonInMillis, policy).assignment,
      sent,
      "an earlier mail arrived"
    )
  })

  it("a response deadline that the partner has set does not change when a mail is delivered or fails", () => {
    const fixed = { ...makeNewAssignment(policy), respondBy: noonInMillis + 5 * day, isDeadlineFixed: true }
    const sent = Workflow.recordRequestMailDelivery(
      fixed,
      { id: "mail", attempts: 1, ticket: 1 },
      noonInMillis,
      policy
    ).assignment
    assert.deepInclude(sent, { notifiedAt: noonInMillis, respondBy: noonInMillis + 5 * day })
    assert.strictEqual(Workflow.recordRequestMailFailure(fixed, noonInMillis, policy).assignment, fixed)
  })

  it("a second delivered mail does not change the response deadline", () => {
    const fresh = makeNewAssignment(policy)
    const sent = Workflow.recordRequestMailDelivery(
      fresh,
      { id: "mail", attempts: 1, ticket: 1 },
      noonInMillis,
      policy
    ).assignment
    const again = Workflow.recordRequestMailDelivery(
      sent,
      { id: "mail", attempts: 1, ticket: 1 },
      noonInMillis + hour,
      policy
    )
    assert.strictEqual(again.assignment, sent)
    assert.strictEqual(again.delivered?.id, "mail", "a repeated mail is marked as handed over all the same")
  })

  it("if the creator has answered before the delivery is recorded, the recorded delivery is not later than the answer", () => {
    const at = noonInMillis + hour
    const answered = Result.getOrThrow(Workflow.respond(makeNewAssignment(policy), { perspective }, at)).assignment
    const notifiedAt = (now: number) =>
      Workflow.recordRequestMailDelivery(answered, { id: "mail", attempts: 1, ticket: 1 }, now, policy).assignment
        .notifiedAt
    assert.deepStrictEqual([notifiedAt(at - 1), notifiedAt(at + 1)], [at - 1, at])
  })

  it("a creator can approve, revise or withdraw until exactly seven days after the draft", () => {
    const draft = makeAssignmentWithDraft(policy)
    assert.strictEqual(draft.approveBy, noonInMillis + 7 * day)
    for (const act of [
      (now: number) => Workflow.approve(draft, approval, now),
      (now: number) => Workflow.requestRevision(draft, revision, now, policy),
      (now: number) => Workflow.withdraw(draft, silence, now)
    ]) {
      assert.isNull(getRefusalReason(act(noonInMillis + 7 * day - 1)))
      assert.strictEqual(getRefusalReason(act(noonInMillis + 7 * day)), "too_late")
    }
  })

  it("a draft that arrives after the deadline is not stored, even if no worker has ended the assignment yet", () => {
    const draft = makeAssignmentWithDraft(policy)
    const asked = noonInMillis + 7 * day - 1000
    const revised = getAssignmentOrThrow(Workflow.requestRevision(draft, revision, asked, policy))
    const running = Option.getOrThrow(findDueStep(revised, asked, policy)).assignment
    const late = { ticket: running.generation.ticket, draftId: makeDraftId(2), content: "Another draft." }
    assert.strictEqual(
      applyGeneratedDraft(running, late, noonInMillis + 7 * day - 1, policy).assignment.approveBy,
      noonInMillis + 14 * day - 1
    )
    assert.strictEqual(applyGeneratedDraft(running, late, noonInMillis + 7 * day, policy).assignment, running)
  })

  it("generation cannot be restarted after the deadline, even if no worker has ended the assignment yet", () => {
    const stalled = applyGenerationFailure(
      makeAssignmentInGeneration(policy),
      { ticket: 1, permanent: true },
      noonInMillis,
      policy
    ).assignment
    assert.strictEqual(stalled.generation.giveUpAt, noonInMillis + day)
    const unnamed = { draftId: null, instructions: "" }
    for (const start of [
      (now: number) => Workflow.restartGeneration(stalled, now, "operator.restarted"),
      (now: number) => Workflow.requestRevision(stalled, unnamed, now, policy)
    ]) {
      assert.isNull(getRefusalReason(start(noonInMillis + day - 1)))
      assert.strictEqual(getRefusalReason(start(noonInMillis + day)), "too_late")
    }
  })

  it("a revision cannot be restarted after the draft's deadline, even if no worker has ended the assignment yet", () => {
    const running = runStepAtDueTime(
      getAssignmentOrThrow(Workflow.requestRevision(makeAssignmentWithDraft(policy), revision, noonInMillis, policy)),
      policy
    ).assignment
    const report = { ticket: running.generation.ticket, permanent: true }
    const stalled = applyGenerationFailure(running, report, noonInMillis, policy).assignment
    assert.isNull(
      getRefusalReason(Workflow.restartGeneration(stalled, noonInMillis + 7 * day - 1, "operator.restarted"))
    )
    assert.strictEqual(
      getRefusalReason(Workflow.restartGeneration(stalled, noonInMillis + 7 * day, "operator.restarted")),
      "too_late"
    )
  })

  it("an attempt that reports a failure after its lease has expired does not extend the deadline", () => {
    const { stalled, ticket } = lost(makeAssignmentInGeneration(policy))
    const end = stalled.generation.giveUpAt as number
    const report = { ticket, permanent: false }
    assert.strictEqual(applyGenerationFailure(stalled, report, end - 1, policy).assignment.generation.giveUpAt, end)
  })
})

describe("Repeated and late reports of attempts", () => {
  it("a second failure report of the same attempt changes nothing", () => {
    const report = { ticket: 1, permanent: false }
    const failed = applyGenerationFailure(makeAssignmentInGeneration(policy), report, noonInMillis, policy).assignment
    assert.strictEqual(applyGenerationFailure(failed, report, noonInMillis + 1000, policy).assignment, failed)
  })

  it("if an attempt reports a second draft, this draft changes nothing", () => {
    const draft = makeAssignmentWithDraft(policy)
    const again = { ticket: 1, draftId: makeDraftId(2), content: "A draft." }
    assert.strictEqual(applyGeneratedDraft(draft, again, noonInMillis, policy).assignment, draft)
  })

  it("an attempt that reports a failure after its lease has expired does not undo a restart of generation", () => {
    const { stalled, ticket } = lost(makeAssignmentInGeneration(policy))
    const started = getAssignmentOrThrow(Workflow.restartGeneration(stalled, noonInMillis + hour, "operator.restarted"))
    const report = { ticket, permanent: false }
    assert.strictEqual(applyGenerationFailure(started, report, noonInMillis + hour, policy).assignment, started)
  })

  it("an attempt that reports a draft after its lease has expired does not complete a newer revision request", () => {
    const { stalled, ticket } = lost(
      getAssignmentOrThrow(Workflow.requestRevision(makeAssignmentWithDraft(policy), revision, noonInMillis, policy))
    )
    const wish = { draftId: makeDraftId(1), instructions: "Longer." }
    const wanted = getAssignmentOrThrow(Workflow.requestRevision(stalled, wish, noonInMillis + hour, policy))
    const late = { ticket, draftId: makeDraftId(2), content: "A shorter draft." }
    assert.strictEqual(applyGeneratedDraft(wanted, late, noonInMillis + hour, policy).assignment, wanted)
  })
})

describe("Repeated actions", () => {
  const sent = makeNewAssignment(policy)
  const draft = makeAssignmentWithDraft(policy)
  const cases = {
    respond: [sent, (present: Assignment) => Workflow.respond(present, { perspective }, noonInMillis)],
    decline: [sent, (present: Assignment) => Workflow.decline(present, { reason: "No time." }, noonInMillis)],
    approve: [
      draft,
      (present: Assignment) => Workflow.approve(present, { ...approval, content: "Edited." }, noonInMillis)
    ],
    revise: [draft, (present: Assignment) => Workflow.requestRevision(present, revision, noonInMillis, policy)],
    withdraw: [draft, (present: Assignment) => Workflow.withdraw(present, { reason: "No." }, noonInMillis)],
    "start again": [
      applyGenerationFailure(makeAssignmentInGeneration(policy), { ticket: 1, permanent: true }, noonInMillis, policy)
        .assignment,
      (present: Assignment) =>
        Workflow.requestRevision(present, { draftId: null, instructions: "" }, noonInMillis, policy)
    ]
  } as const
  for (const [name, [present, act]] of Object.entries(cases)) {
    it(`a repeated action returns the same result as the first: ${name}`, () => {
      const once = getAssignmentOrThrow(act(present))
      assert.notStrictEqual(once, present)
      const again = act(once)
      assert.isTrue(Result.isSuccess(again))
      const change = Result.getOrThrow(again)
      assert.strictEqual(change.assignment, once)
      assert.deepStrictEqual(change.notices, [])
      assert.isUndefined(change.audit, "the record holds it once")
    })
  }

  it("a repeated action with different content is rejected with the current status", () => {
    const approved = getAssignmentOrThrow(Workflow.approve(draft, approval, noonInMillis))
    const other = Workflow.approve(approved, { ...approval, content: "Edited." }, noonInMillis)
    const refusal = Result.getOrThrow(Result.flip(other))
    assert.deepInclude(refusal, { reason: "not_allowed", status: "creator_approved" })
    const withdrawn = getAssignmentOrThrow(Workflow.withdraw(draft, silence, noonInMillis))
    assert.strictEqual(getRefusalReason(Workflow.withdraw(withdrawn, { reason: "No." }, noonInMillis)), "settled")
    assert.strictEqual(getRefusalReason(Workflow.approve(withdrawn, approval, noonInMillis)), "settled")
    const responded = getAssignmentOrThrow(Workflow.respond(sent, { perspective }, noonInMillis))
    assert.strictEqual(
      getRefusalReason(Workflow.respond(responded, { perspective: "It was fair." }, noonInMillis)),
      "not_allowed"
    )
    assert.strictEqual(getRefusalReason(Workflow.decline(responded, silence, noonInMillis)), "not_allowed")
    const wish = { ...revision, instructions: "Longer." }
    const revised = getAssignmentOrThrow(Workflow.requestRevision(draft, revision, noonInMillis, policy))
    assert.strictEqual(getRefusalReason(Workflow.requestRevision(revised, wish, noonInMillis, policy)), "busy")
  })
})

describe("Actions on a draft", () => {
  it("an action must contain the id of the latest draft, unless only one draft exists", () => {
    const draft = makeAssignmentWithDraft(policy)
    assert.isNull(getRefusalReason(Workflow.approve(draft, { ...approval, draftId: null }, noonInMillis)))
    const running = runStepAtDueTime(
      getAssignmentOrThrow(Workflow.requestRevision(draft, revision, noonInMillis, policy)),
      policy
    ).assignment
    const other = { ticket: running.generation.ticket, draftId: makeDraftId(2), content: "Another draft." }
    const second = applyGeneratedDraft(running, other, noonInMillis, policy).assignment
    assert.strictEqual(getRefusalReason(Workflow.approve(second, approval, noonInMillis)), "stale_draft")
    assert.strictEqual(
      getRefusalReason(Workflow.approve(second, { ...approval, draftId: null }, noonInMillis)),
      "draft_not_named"
    )
    const approved = getAssignmentOrThrow(
      Workflow.approve(second, { ...approval, draftId: makeDraftId(2) }, noonInMillis)
    )
    assert.deepInclude(approved.commentary, {
      content: "Another draft.",
      draftId: makeDraftId(2),
      approvedAt: noonInMillis
    })
  })

  it("a creator cannot request an eleventh draft", () => {
    let present = makeAssignmentWithDraft(policy)
    for (let number = 2; number <= 10; number++) {
      const wish = { draftId: makeDraftId(number - 1), instructions: "" }
      const running = runStepAtDueTime(
        getAssignmentOrThrow(Workflow.requestRevision(present, wish, noonInMillis, policy)),
        policy
      ).assignment
      const draft = { ticket: running.generation.ticket, draftId: makeDraftId(number), content: `Draft ${number}.` }
      present = applyGeneratedDraft(running, draft, noonInMillis, policy).assignment
    }
    assert.strictEqual(present.draft?.number, 10)
    const eleventh = Workflow.requestRevision(
      present,
      { draftId: makeDraftId(10), instructions: "" },
      noonInMillis,
      policy
    )
    assert.strictEqual(getRefusalReason(eleventh), "too_many_drafts")
  })

  it("a draft can be approved while another draft is generated, and the other draft is then ignored", () => {
    const running = runStepAtDueTime(
      getAssignmentOrThrow(Workflow.requestRevision(makeAssignmentWithDraft(policy), revision, noonInMillis, policy)),
      policy
    ).assignment
    const approved = getAssignmentOrThrow(Workflow.approve(running, approval, noonInMillis))
    const late = { ticket: running.generation.ticket, draftId: makeDraftId(2), content: "Another draft." }
    assert.strictEqual(applyGeneratedDraft(approved, late, noonInMillis, policy).assignment, approved)
  })
})
