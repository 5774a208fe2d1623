/** Tests the parts of a creator's page that depend on the state and on a rejected action. */
import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import type { CreatorAction } from "../../src/creator-portal/CreatorAction.ts"
import { textFieldNameByAction } from "../../src/creator-portal/CreatorAction.ts"
import { renderCreatorPage } from "../../src/creator-portal/CreatorPage.ts"
import type { CreatorPageData } from "../../src/creator-portal/PageContent.ts"
import * as Samples from "./Samples.ts"

const page = (...visit: Parameters<typeof Samples.makeCreatorPageData>) =>
  renderCreatorPage(Samples.makeCreatorPageData(...visit))

const refused = (action: CreatorAction, enteredText: NonNullable<CreatorPageData["refusal"]>["enteredText"]) => ({
  action,
  enteredText,
  isStale: false,
  problem: { field: textFieldNameByAction[action], constraint: "" },
  explanation: "No."
})

describe("Titles of creators' pages", () => {
  const title = (more: Partial<CreatorPageData>) =>
    /<title>([^<·]*?) ·/.exec(page(Samples.assignmentAwaitingPerspective, more))?.[1]

  it("the title of a creator's page says that an action was rejected, or that the inbox link was mailed", () => {
    assert.strictEqual(title({}), "Waiting for your view")
    assert.strictEqual(title({ inboxMailed: true }), "Link on its way: Waiting for your view")
    assert.strictEqual(title({ refusal: refused("respond", {}) }), "Not done: Waiting for your view")
  })
})

describe("Decline form", () => {
  it("the decline form is open only after its text was rejected", () => {
    const isOpen = (refusal: CreatorPageData["refusal"]) =>
      /<details open/.test(page(Samples.assignmentAwaitingPerspective, { refusal }))
    assert.isFalse(isOpen(null))
    assert.isFalse(isOpen(refused("respond", { perspective: "No" })))
    assert.isFalse(isOpen(refused("decline", {})))
    assert.isTrue(isOpen(refused("decline", { reason: "x".repeat(5000) })))
  })
})

describe("Text fields of creators' pages", () => {
  it("a text field of a creator's page is required only if the text has a minimum length", () => {
    const required = (assignment: CreatorPageData["assignment"]) =>
      [...page(assignment).matchAll(/<textarea id="([\w-]+)"[^>]* required minlength="(\d+)"/g)].map(([, id, min]) => [
        id,
        min
      ])
    assert.deepStrictEqual(required(Samples.assignmentAwaitingPerspective), [["respond-perspective", "10"]])
    assert.include(page(Samples.assignmentAwaitingPerspective), 'id="decline-reason"')
  })
})

describe("Pages of closed requests", () => {
  const parts = (assignment: CreatorPageData["assignment"], now = Samples.noonInMillis) =>
    ["Your reason", "Your view", "Closed on"].filter((part) => page(assignment, { now }).includes(part))

  it("the page of a closed request quotes the creator's words, and says when the request was closed", () => {
    assert.deepStrictEqual(parts(Samples.declinedAssignment), ["Your reason", "Closed on"])
    assert.deepStrictEqual(parts({ ...Samples.declinedAssignment, declineReason: null }), ["Closed on"])
    assert.deepStrictEqual(parts(Samples.expiredAssignment), ["Closed on"])
    assert.deepStrictEqual(parts(Samples.withdrawnAssignment), ["Your view", "Closed on"])
    assert.deepStrictEqual(parts({ ...Samples.withdrawnAssignment, withdrawReason: "Wrong." }), [
      "Your reason",
      "Your view",
      "Closed on"
    ])
  })

  it("the page of a closed request shows no closing time until the worker has stored the expiry", () => {
    assert.deepStrictEqual(
      parts(Samples.assignmentAwaitingPerspective, Samples.assignmentAwaitingPerspective.respondBy),
      []
    )
    assert.deepStrictEqual(parts(Samples.assignmentWithDraft, Samples.assignmentWithDraft.approveBy ?? 0), [
      "Your view"
    ])
  })
})

describe("Steps and introduction of creators' pages", () => {
  it("an error on a creator's page replaces the steps and the introduction when the page has the field to correct", () => {
    const parts = (more: Partial<CreatorPageData>) => {
      const shown = page(Samples.assignmentAwaitingPerspective, more)
      return [shown.includes('class="steps"'), shown.includes('class="lead"')]
    }
    assert.deepStrictEqual(parts({}), [true, true])
    assert.deepStrictEqual(parts({ refusal: refused("respond", { perspective: "No" }) }), [false, false])
    assert.deepStrictEqual(parts({ refusal: refused("approve", {}) }), [true, true])
  })
})
