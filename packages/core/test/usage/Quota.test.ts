import { describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { assert } from "vitest"
import { calculateRemainingQuota, findExceededQuota } from "../../src/usage/Quota.ts"

const figure = fc.nat({ max: 20 })

describe("Quotas", () => {
  it("a quota accepts a topic only if the whole topic fits", () =>
    fc.assert(
      fc.property(figure, figure, figure, figure, figure, (topics, units, topicLimit, unitLimit, wanted) => {
        const quotas = { topics_per_month: topicLimit, commentaries_per_month: unitLimit }
        const fits = topics + 1 <= topicLimit && units + wanted <= unitLimit
        assert.strictEqual(Option.isNone(findExceededQuota({ topics, commentaryUnits: units }, quotas, wanted)), fits)
      })
    ))

  it("the refusal of a topic states the exhausted quota, its limit and the remaining amount", () => {
    const quotas = { topics_per_month: 10, commentaries_per_month: 30 }
    const about = (held: { topics: number; commentaryUnits: number }, wanted: number) => {
      const { limit, quota, remaining } = Option.getOrThrow(findExceededQuota(held, quotas, wanted))
      return { quota, limit, remaining }
    }
    assert.deepStrictEqual(about({ topics: 10, commentaryUnits: 0 }, 1), {
      quota: "topics_per_month",
      limit: 10,
      remaining: 0
    })
    assert.deepStrictEqual(about({ topics: 9, commentaryUnits: 28 }, 3), {
      quota: "commentaries_per_month",
      limit: 30,
      remaining: 2
    })
    assert.isTrue(Option.isNone(findExceededQuota({ topics: 9, commentaryUnits: 28 }, quotas, 2)))
  })

  it("a quota that was lowered below the current usage has a remaining amount of zero", () => {
    const quotas = { topics_per_month: 10, commentaries_per_month: 5 }
    const { remaining: left } = Option.getOrThrow(findExceededQuota({ topics: 0, commentaryUnits: 8 }, quotas, 1))
    assert.strictEqual(left, 0)
    assert.strictEqual(calculateRemainingQuota(5, 8), 0)
    assert.strictEqual(calculateRemainingQuota(8, 5), 3)
  })
})
