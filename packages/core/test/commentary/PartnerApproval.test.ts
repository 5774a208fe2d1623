import { describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { assert } from "vitest"
import { acceptForPublication } from "../../src/commentary/PartnerApproval.ts"
import { defaults as policy } from "../../src/shared/Policy.ts"
import * as Workflow from "../../src/topic/Workflow.ts"
import {
  getAssignmentOrThrow,
  makeAssignmentWithDraft,
  makeCommentaryId,
  makeDraftId,
  noonInMillis
} from "../topic/SampleAssignments.ts"

const approval = { draftId: makeDraftId(1), content: null, commentaryId: makeCommentaryId(1), contentHash: "" }
const approved = getAssignmentOrThrow(Workflow.approve(makeAssignmentWithDraft(policy), approval, noonInMillis))
const acceptance = { commentaryId: makeCommentaryId(1), by: "key 1" }

describe("a partner's approval", () => {
  it("a partner's approval changes only the time of the approval, and the audit log states which API key was used", () => {
    const { assignment, audit, notices } = Result.getOrThrow(
      acceptForPublication(approved, acceptance, noonInMillis + 5)
    )
    const { commentary } = approved
    assert.deepStrictEqual(assignment, {
      ...approved,
      commentary: commentary && { ...commentary, partnerApprovedAt: noonInMillis + 5 }
    })
    assert.deepStrictEqual(notices, [])
    assert.deepStrictEqual(audit, {
      action: "partner.approved",
      details: { by: "key 1", commentary_id: makeCommentaryId(1) }
    })
  })

  it("a repeated approval by the partner keeps the time of the first approval", () => {
    const once = Result.getOrThrow(acceptForPublication(approved, acceptance, noonInMillis + 5)).assignment
    const again = Result.getOrThrow(acceptForPublication(once, { ...acceptance, by: "key 2" }, noonInMillis + 9))
    assert.strictEqual(again.assignment, once)
    assert.isUndefined(again.audit, "the record holds it once")
  })

  it("a partner's approval is rejected if the id does not match or the creator has not approved the draft", () => {
    for (const [present, id] of [
      [approved, makeCommentaryId(2)],
      [makeAssignmentWithDraft(policy), makeCommentaryId(1)]
    ] as const) {
      const refused = Result.flip(acceptForPublication(present, { ...acceptance, commentaryId: id }, noonInMillis + 5))
      assert.strictEqual(Result.getOrThrow(refused)._tag, "CommentaryNotFound")
    }
  })
})
