import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import {
  type AssignmentMetrics,
  type AssignmentTimeline,
  addMetrics,
  addTimeline,
  calculateStoredCountDeltas,
  makeEmptyMetrics,
  summarizeMetrics
} from "../../src/performance/Metrics.ts"
import { noonInMillis } from "../topic/SampleAssignments.ts"

const sent: AssignmentTimeline = {
  status: "topic_sent",
  failureReason: null,
  notifiedAt: null,
  respondedAt: null,
  firstDraftedAt: null,
  approvedAt: null
}

const of = (...timelines: ReadonlyArray<Partial<AssignmentTimeline>>) => {
  const metrics = makeEmptyMetrics()
  for (const timeline of timelines) addTimeline(metrics, { ...sent, ...timeline })
  return metrics
}

const sum = (...all: ReadonlyArray<AssignmentMetrics>) => {
  const total = makeEmptyMetrics()
  for (const one of all) addMetrics(total, one)
  return total
}

const nothing = { count: 0, median: null, p90: null }

describe("metrics", () => {
  it("metrics count the assignments of each outcome and the sent assignments in total", () => {
    const reasons = ["declined", "expired", "generation_failed", "approval_timeout", "withdrawn", "cancelled"] as const
    const { counts } = summarizeMetrics(
      of(
        {},
        { status: "opinion_injected" },
        { status: "commentary_generated" },
        { status: "creator_approved" },
        ...reasons.map((failureReason) => ({ failureReason }))
      )
    )
    assert.deepStrictEqual(counts, {
      sent: 10,
      pending: 3,
      approved: 1,
      declined: 1,
      expired: 1,
      generation_failed: 1,
      approval_timeout: 1,
      withdrawn: 1,
      cancelled: 1
    })
  })

  it("a new outcome of an assignment changes the counts of the old and the new outcome; pending has no stored count", () => {
    const [approved, declined] = [
      { ...sent, status: "creator_approved" as const },
      { ...sent, failureReason: "declined" as const }
    ]
    assert.deepStrictEqual(calculateStoredCountDeltas(sent, { ...sent, status: "opinion_injected" }), [])
    assert.deepStrictEqual(calculateStoredCountDeltas(sent, declined), [["declined", 1]])
    assert.deepStrictEqual(calculateStoredCountDeltas(declined, sent), [["declined", -1]])
    assert.deepStrictEqual(calculateStoredCountDeltas(declined, approved), [
      ["declined", -1],
      ["approved", 1]
    ])
  })

  it("metrics without assignments have zero counts and null percentiles", () => {
    const { approval, counts, generation, response } = summarizeMetrics(makeEmptyMetrics())
    assert.deepStrictEqual([...new Set(Object.values(counts))], [0])
    assert.deepStrictEqual([response, generation, approval], [nothing, nothing, nothing])
  })

  it("metrics measure each stage of an assignment from the end of the previous stage", () => {
    const timeline = {
      notifiedAt: noonInMillis + 1,
      respondedAt: noonInMillis + 11,
      firstDraftedAt: noonInMillis + 111,
      approvedAt: noonInMillis + 1111
    }
    const { approval, generation, response } = summarizeMetrics(of(timeline))
    assert.deepStrictEqual(response, { count: 1, median: 10, p90: 10 })
    assert.deepStrictEqual(generation, { count: 1, median: 100, p90: 100 })
    assert.deepStrictEqual(approval, { count: 1, median: 1000, p90: 1000 })
  })

  it("metrics skip a stage that has no start or no end, and count a negative duration as 0", () => {
    const { generation, response } = summarizeMetrics(
      of(
        { respondedAt: noonInMillis },
        { notifiedAt: noonInMillis },
        { notifiedAt: noonInMillis + 2, respondedAt: noonInMillis }
      )
    )
    assert.deepStrictEqual(response, { count: 1, median: 0, p90: 0 })
    assert.deepStrictEqual(generation, nothing)
  })

  it("the sum of the metrics of two sets of assignments equals the metrics of all these assignments", () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 })),
        fc.array(fc.integer({ min: 0, max: 50 })),
        (one, other) => {
          const timelines = (times: ReadonlyArray<number>) =>
            times.map((time) => ({
              notifiedAt: noonInMillis,
              respondedAt: noonInMillis + time,
              status: "opinion_injected" as const
            }))
          assert.deepStrictEqual(
            summarizeMetrics(sum(of(...timelines(one)), of(...timelines(other)))),
            summarizeMetrics(of(...timelines([...one, ...other])))
          )
        }
      )
    ))
})
