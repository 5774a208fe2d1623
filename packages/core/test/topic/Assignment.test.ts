import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import { defaults } from "../../src/shared/Policy.ts"
import { nextDueAt, nextReminderAt } from "../../src/topic/Assignment.ts"
import { makeAssignmentWithDraft, makeNewAssignment, noonInMillis } from "./SampleAssignments.ts"

const hour = 3_600_000
const moment = fc.integer({ min: 1, max: 1000 }).map((hours) => noonInMillis + hours * hour)

describe("Due times of assignments", () => {
  it("the next due time of an assignment is the earliest time of all timed steps", () =>
    fc.assert(
      fc.property(fc.option(moment), fc.option(moment), moment, (nextAt, giveUpAt, approveBy) => {
        const draft = makeAssignmentWithDraft(defaults)
        const present = { ...draft, approveBy, generation: { ...draft.generation, nextAt, giveUpAt } }
        const half = noonInMillis + (approveBy - noonInMillis) / 2
        const moments = [nextAt, giveUpAt, approveBy, half].filter((at) => at !== null)
        assert.strictEqual(nextDueAt(present), Math.min(...moments))
        assert.isNull(nextDueAt({ ...present, failure: { reason: "withdrawn", at: noonInMillis } }))
      })
    ))

  it("until the request mail is sent, an assignment's next due time is the response deadline", () => {
    const fresh = makeNewAssignment(defaults)
    assert.isNull(nextReminderAt(fresh))
    assert.strictEqual(nextDueAt(fresh), fresh.respondBy)
  })

  it("the next due time includes one reminder of the request and two reminders of each draft", () => {
    const sent = { ...makeNewAssignment(defaults), notifiedAt: noonInMillis, respondBy: noonInMillis + 48 * hour }
    assert.strictEqual(nextReminderAt(sent), noonInMillis + 24 * hour)
    assert.isNull(nextReminderAt({ ...sent, reminders: 1 }))
    const draft = makeAssignmentWithDraft(defaults)
    const reminders = [0, 1, 2].map((count) => nextReminderAt({ ...draft, reminders: count }))
    assert.deepStrictEqual(reminders, [noonInMillis + 84 * hour, noonInMillis + 151.2 * hour, null])
  })
})
