import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import { percentile } from "../../src/performance/Durations.ts"
import { add, figures, newTally, type Way } from "../../src/performance/Figures.ts"
import { noon } from "../topic/FreshAssignment.ts"

const sent: Way = {
  status: "topic_sent",
  failureReason: null,
  notifiedAt: null,
  respondedAt: null,
  firstDraftedAt: null,
  approvedAt: null
}

const of = (...courses: ReadonlyArray<Partial<Way>>) => {
  const tally = newTally()
  for (const course of courses) add(tally, { ...sent, ...course })
  return tally
}

const nothing = { count: 0, median: null, p90: null }

describe("a percentile", () => {
  it("is the least measured value that so many percent do not exceed", () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 250 }),
        fc.integer({ min: 1, max: 100 }),
        (values, percent) => {
          const enough = (limit: number) =>
            values.filter((value) => value <= limit).length * 100 >= percent * values.length
          const least = Math.min(...values.filter(enough))
          assert.strictEqual(
            percentile(
              values.toSorted((one, other) => one - other),
              percent
            ),
            least
          )
        }
      )
    ))

  it("of nothing is none", () => assert.isNull(percentile([], 50)))

  it("of one value is that value, and of two the median is the lesser", () => {
    assert.deepStrictEqual([percentile([7], 50), percentile([7], 90)], [7, 7])
    assert.deepStrictEqual([percentile([7, 9], 50), percentile([7, 9], 90)], [7, 9])
  })
})

describe("figures", () => {
  it("count every ending once, and all of them together", () => {
    const reasons = ["declined", "expired", "generation_failed", "approval_timeout", "withdrawn"] as const
    const { counts } = figures(
      of(
        {},
        { status: "opinion_injected" },
        { status: "commentary_generated" },
        { status: "creator_approved" },
        ...reasons.map((failureReason) => ({ failureReason }))
      )
    )
    assert.deepStrictEqual(counts, {
      sent: 9,
      pending: 3,
      approved: 1,
      declined: 1,
      expired: 1,
      generation_failed: 1,
      approval_timeout: 1,
      withdrawn: 1
    })
  })

  it("of nothing sent are zeros, with no times", () => {
    const { approval, counts, generation, response } = figures()
    assert.deepStrictEqual([...new Set(Object.values(counts))], [0])
    assert.deepStrictEqual([response, generation, approval], [nothing, nothing, nothing])
  })

  it("measure each stage from the end of the one before", () => {
    const way = { notifiedAt: noon + 1, respondedAt: noon + 11, firstDraftedAt: noon + 111, approvedAt: noon + 1111 }
    const { approval, generation, response } = figures(of(way))
    assert.deepStrictEqual(response, { count: 1, median: 10, p90: 10 })
    assert.deepStrictEqual(generation, { count: 1, median: 100, p90: 100 })
    assert.deepStrictEqual(approval, { count: 1, median: 1000, p90: 1000 })
  })

  it("leave out what has no beginning or no end, and never fall below zero", () => {
    const { generation, response } = figures(
      of({ respondedAt: noon }, { notifiedAt: noon }, { notifiedAt: noon + 2, respondedAt: noon })
    )
    assert.deepStrictEqual(response, { count: 1, median: 0, p90: 0 })
    assert.deepStrictEqual(generation, nothing)
  })

  it("of several tallies are those of one that saw everything", () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 })),
        fc.array(fc.integer({ min: 0, max: 50 })),
        (one, other) => {
          const courses = (times: ReadonlyArray<number>) =>
            times.map((time) => ({ notifiedAt: noon, respondedAt: noon + time, status: "opinion_injected" as const }))
          assert.deepStrictEqual(
            figures(of(...courses(one)), of(...courses(other))),
            figures(of(...courses([...one, ...other])))
          )
        }
      )
    ))
})
