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
  assignmentInGeneration,
  assignmentOrThrow,
  assignmentWithDraft,
  freshAssignment,
  makeCommentaryId,
  makeDraftId,
  noon,
  refusalReasonOf,
  runStepAtDueTime
} from "./FreshAssignment.ts"
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
      freshAssignment(policy),
      { id: "mail", attempts: 1, ticket: 1 },
      noon + hour,
      policy
    ).assignment
    assert.strictEqual(sent.respondBy, noon + 49 * hour)
    for (const act of [
      (now: number) => Workflow.respond(sent, { perspective }, now),
      (now: number) => Workflow.decline(sent, silence, now)
    ]) {
      assert.isNull(refusalReasonOf(act(sent.respondBy - 1)))
      assert.strictEqual(refusalReasonOf(act(sent.respondBy)), "too_late")
    }
  })

  it("a partner can cancel an assignment until the response deadline, when the assignment expires", () => {
    const fresh = freshAssignment(policy)
    const before = Workflow.cancel(fresh, { by: "key" }, fresh.respondBy - 1)
    assert.strictEqual(before.assignment.failure?.reason, "cancelled")
    for (const late of [fresh.respondBy, fresh.respondBy + hour]) {
      const { assignment, notices } = Workflow.cancel(fresh, { by: "key" }, late)
      assert.strictEqual(assignment, fresh)
      assert.deepStrictEqual(notices, [])
    }
    assert.strictEqual(runStepAtDueTime(fresh, policy).assignment.failure?.reason, "expired")
  })

  it("the response window starts at the delivery of the request mail, and the deadline without a delivery is seven days after submission", () => {
    const fresh = freshAssignment(policy)
    assert.strictEqual(fresh.respondBy, noon + 7 * day)
    const notified = (at: number) =>
      Workflow.recordRequestMailDelivery(fresh, { id: "mail", attempts: 1, ticket: 1 }, at, policy).assignment
    assert.strictEqual(notified(noon + 30 * hour).respondBy, noon + 78 * hour)
    assert.strictEqual(notified(noon + 7 * day - 1).respondBy, noon + 9 * day - 1)
    assert.strictEqual(notified(noon + 7 * day), fresh, "a mail that comes after the deadline extends nothing")
  })

  it("after the request mail fails permanently, the deadline is 72 hours after submission, but at least a day after the failure", () => {
    const fresh = freshAssignment(policy)
    const at = (now: number) => Workflow.recordRequestMailFailure(fresh, now, policy).assignment
    assert.strictEqual(at(noon).respondBy, noon + 72 * hour)
    assert.strictEqual(at(noon).dueAt, noon + 72 * hour)
    assert.strictEqual(at(noon + 70 * hour).respondBy, noon + 94 * hour)
    assert.strictEqual(at(noon + 7 * day - 1), fresh, "nothing is extended")
    const sent = Workflow.recordRequestMailDelivery(
      fresh,
      { id: "mail", attempts: 1, ticket: 1 },
      noon,
      policy
    ).assignment
    assert.strictEqual(
      Workflow.recordRequestMailFailure(sent, noon, policy).assignment,
      sent,
      "an earlier mail arrived"
    )
  })

  it("a response deadline that the partner has set does not change when a mail is delivered or fails", () => {
    const fixed = { ...freshAssignment(policy), respondBy: noon + 5 * day, isDeadlineFixed: true }
    const sent = Workflow.recordRequestMailDelivery(
      fixed,
      { id: "mail", attempts: 1, ticket: 1 },
      noon,
      policy
    ).assignment
    assert.deepInclude(sent, { notifiedAt: noon, respondBy: noon + 5 * day })
    assert.strictEqual(Workflow.recordRequestMailFailure(fixed, noon, policy).assignment, fixed)
  })

  it("a second delivered mail does not change the response deadline", () => {
    const fresh = freshAssignment(policy)
    const sent = Workflow.recordRequestMailDelivery(
      fresh,
      { id: "mail", attempts: 1, ticket: 1 },
      noon,
      policy
    ).assignment
    const again = Workflow.recordRequestMailDelivery(sent, { id: "mail", attempts: 1, ticket: 1 }, noon + hour, policy)
    assert.strictEqual(again.assignment, sent)
    assert.strictEqual(again.delivered?.id, "mail", "a repeated mail is marked as handed over all the same")
  })

  it("a creator can approve, revise or withdraw until exactly seven days after the draft", () => {
    const draft = assignmentWithDraft(policy)
    assert.strictEqual(draft.approveBy, noon + 7 * day)
    for (const act of [
      (now: number) => Workflow.approve(draft, approval, now),
      (now: number) => Workflow.requestRevision(draft, revision, now, policy),
      (now: number) => Workflow.withdraw(draft, silence, now)
    ]) {
      assert.isNull(refusalReasonOf(act(noon + 7 * day - 1)))
      assert.strictEqual(refusalReasonOf(act(noon + 7 * day)), "too_late")
    }
  })

  it("a draft that arrives after the deadline is not stored, even if no worker has ended the assignment yet", () => {
    const draft = assignmentWithDraft(policy)
    const asked = noon + 7 * day - 1000
    const revised = assignmentOrThrow(Workflow.requestRevision(draft, revision, asked, policy))
    const running = Option.getOrThrow(findDueStep(revised, asked, policy)).assignment
    const late = { ticket: running.generation.ticket, draftId: makeDraftId(2), content: "Another draft." }
    assert.strictEqual(
      applyGeneratedDraft(running, late, noon + 7 * day - 1, policy).assignment.approveBy,
      noon + 14 * day - 1
    )
    assert.strictEqual(applyGeneratedDraft(running, late, noon + 7 * day, policy).assignment, running)
  })

  it("generation cannot be restarted after the deadline, even if no worker has ended the assignment yet", () => {
    const stalled = applyGenerationFailure(
      assignmentInGeneration(policy),
      { ticket: 1, permanent: true },
      noon,
      policy
    ).assignment
    assert.strictEqual(stalled.generation.giveUpAt, noon + day)
    const unnamed = { draftId: null, instructions: "" }
    for (const start of [
      (now: number) => Workflow.restartGeneration(stalled, now, "operator.restarted"),
      (now: number) => Workflow.requestRevision(stalled, unnamed, now, policy)
    ]) {
      assert.isNull(refusalReasonOf(start(noon + day - 1)))
      assert.strictEqual(refusalReasonOf(start(noon + day)), "too_late")
    }
  })

  it("a revision cannot be restarted after the draft's deadline, even if no worker has ended the assignment yet", () => {
    const running = runStepAtDueTime(
      assignmentOrThrow(Workflow.requestRevision(assignmentWithDraft(policy), revision, noon, policy)),
      policy
    ).assignment
    const report = { ticket: running.generation.ticket, permanent: true }
    const stalled = applyGenerationFailure(running, report, noon, policy).assignment
    assert.isNull(refusalReasonOf(Workflow.restartGeneration(stalled, noon + 7 * day - 1, "operator.restarted")))
    assert.strictEqual(
      refusalReasonOf(Workflow.restartGeneration(stalled, noon + 7 * day, "operator.restarted")),
      "too_late"
    )
  })

  it("an attempt that reports a failure after its lease has expired does not extend the deadline", () => {
    const { stalled, ticket } = lost(assignmentInGeneration(policy))
    const end = stalled.generation.giveUpAt as number
    const report = { ticket, permanent: false }
    assert.strictEqual(applyGenerationFailure(stalled, report, end - 1, policy).assignment.generation.giveUpAt, end)
  })
})

describe("Repeated and late reports of attempts", () => {
  it("a second failure report of the same attempt changes nothing", () => {
    const report = { ticket: 1, permanent: false }
    const failed = applyGenerationFailure(assignmentInGeneration(policy), report, noon, policy).assignment
    assert.strictEqual(applyGenerationFailure(failed, report, noon + 1000, policy).assignment, failed)
  })

  it("a second result with the draft of the same attempt changes nothing", () => {
    const draft = assignmentWithDraft(policy)
    const again = { ticket: 1, draftId: makeDraftId(2), content: "A draft." }
    assert.strictEqual(applyGeneratedDraft(draft, again, noon, policy).assignment, draft)
  })

  it("an attempt that reports a failure after its lease has expired does not undo a restart of generation", () => {
    const { stalled, ticket } = lost(assignmentInGeneration(policy))
    const started = assignmentOrThrow(Workflow.restartGeneration(stalled, noon + hour, "operator.restarted"))
    const report = { ticket, permanent: false }
    assert.strictEqual(applyGenerationFailure(started, report, noon + hour, policy).assignment, started)
  })

  it("an attempt that reports a draft after its lease has expired does not complete a newer revision request", () => {
    const { stalled, ticket } = lost(
      assignmentOrThrow(Workflow.requestRevision(assignmentWithDraft(policy), revision, noon, policy))
    )
    const wish = { draftId: makeDraftId(1), instructions: "Longer." }
    const wanted = assignmentOrThrow(Workflow.requestRevision(stalled, wish, noon + hour, policy))
    const late = { ticket, draftId: makeDraftId(2), content: "A shorter draft." }
    assert.strictEqual(applyGeneratedDraft(wanted, late, noon + hour, policy).assignment, wanted)
  })
})

describe("Repeated actions", () => {
  const sent = freshAssignment(policy)
  const draft = assignmentWithDraft(policy)
  const cases = {
    respond: [sent, (present: Assignment) => Workflow.respond(present, { perspective }, noon)],
    decline: [sent, (present: Assignment) => Workflow.decline(present, { reason: "No time." }, noon)],
    approve: [draft, (present: Assignment) => Workflow.approve(present, { ...approval, content: "Edited." }, noon)],
    revise: [draft, (present: Assignment) => Workflow.requestRevision(present, revision, noon, policy)],
    withdraw: [draft, (present: Assignment) => Workflow.withdraw(present, { reason: "No." }, noon)],
    "start again": [
      applyGenerationFailure(assignmentInGeneration(policy), { ticket: 1, permanent: true }, noon, policy).assignment,
      (present: Assignment) => Workflow.requestRevision(present, { draftId: null, instructions: "" }, noon, policy)
    ]
  } as const
  for (const [name, [present, act]] of Object.entries(cases)) {
    it(`a repeated action returns the same result as the first: ${name}`, () => {
      const once = assignmentOrThrow(act(present))
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
    const approved = assignmentOrThrow(Workflow.approve(draft, approval, noon))
    const other = Workflow.approve(approved, { ...approval, content: "Edited." }, noon)
    const refusal = Result.getOrThrow(Result.flip(other))
    assert.deepInclude(refusal, { reason: "not_allowed", status: "creator_approved" })
    const withdrawn = assignmentOrThrow(Workflow.withdraw(draft, silence, noon))
    assert.strictEqual(refusalReasonOf(Workflow.withdraw(withdrawn, { reason: "No." }, noon)), "settled")
    assert.strictEqual(refusalReasonOf(Workflow.approve(withdrawn, approval, noon)), "settled")
    const responded = assignmentOrThrow(Workflow.respond(sent, { perspective }, noon))
    assert.strictEqual(
      refusalReasonOf(Workflow.respond(responded, { perspective: "It was fair." }, noon)),
      "not_allowed"
    )
    assert.strictEqual(refusalReasonOf(Workflow.decline(responded, silence, noon)), "not_allowed")
    const wish = { ...revision, instructions: "Longer." }
    const revised = assignmentOrThrow(Workflow.requestRevision(draft, revision, noon, policy))
    assert.strictEqual(refusalReasonOf(Workflow.requestRevision(revised, wish, noon, policy)), "busy")
  })
})

describe("Actions on a draft", () => {
  it("an action must name the latest draft, except when only one draft exists", () => {
    const draft = assignmentWithDraft(policy)
    assert.isNull(refusalReasonOf(Workflow.approve(draft, { ...approval, draftId: null }, noon)))
    const running = runStepAtDueTime(
      assignmentOrThrow(Workflow.requestRevision(draft, revision, noon, policy)),
      policy
    ).assignment
    const other = { ticket: running.generation.ticket, draftId: makeDraftId(2), content: "Another draft." }
    const second = applyGeneratedDraft(running, other, noon, policy).assignment
    assert.strictEqual(refusalReasonOf(Workflow.approve(second, approval, noon)), "stale_draft")
    assert.strictEqual(
      refusalReasonOf(Workflow.approve(second, { ...approval, draftId: null }, noon)),
      "draft_not_named"
    )
    const approved = assignmentOrThrow(Workflow.approve(second, { ...approval, draftId: makeDraftId(2) }, noon))
    assert.deepInclude(approved.commentary, { content: "Another draft.", draftId: makeDraftId(2), approvedAt: noon })
  })

  it("a creator cannot request an eleventh draft", () => {
    let present = assignmentWithDraft(policy)
    for (let number = 2; number <= 10; number++) {
      const wish = { draftId: makeDraftId(number - 1), instructions: "" }
      const running = runStepAtDueTime(
        assignmentOrThrow(Workflow.requestRevision(present, wish, noon, policy)),
        policy
      ).assignment
      const draft = { ticket: running.generation.ticket, draftId: makeDraftId(number), content: `Draft ${number}.` }
      present = applyGeneratedDraft(running, draft, noon, policy).assignment
    }
    assert.strictEqual(present.draft?.number, 10)
    const eleventh = Workflow.requestRevision(present, { draftId: makeDraftId(10), instructions: "" }, noon, policy)
    assert.strictEqual(refusalReasonOf(eleventh), "too_many_drafts")
  })

  it("a draft can be approved while another draft is generated, and the other draft is then ignored", () => {
    const running = runStepAtDueTime(
      assignmentOrThrow(Workflow.requestRevision(assignmentWithDraft(policy), revision, noon, policy)),
      policy
    ).assignment
    const approved = assignmentOrThrow(Workflow.approve(running, approval, noon))
    const late = { ticket: running.generation.ticket, draftId: makeDraftId(2), content: "Another draft." }
    assert.strictEqual(applyGeneratedDraft(approved, late, noon, policy).assignment, approved)
  })
})
