import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import { PlanLimitName, resolveLimits } from "../../src/partner/Plan.ts"

describe("a plan", () => {
  it("each plan has the limits of the specification", () => {
    const endpoints = { topic_submissions_per_hour: 100, persona_lists_per_hour: 1000, topic_reads_per_hour: 1000 }
    assert.deepStrictEqual(resolveLimits({ plan: "standard", limits: {} }), {
      requests_per_hour: 1000,
      burst_per_minute: 100,
      topics_per_month: 1000,
      commentaries_per_month: 5000,
      ...endpoints
    })
    assert.deepStrictEqual(resolveLimits({ plan: "premium", limits: {} }), {
      requests_per_hour: 5000,
      burst_per_minute: 500,
      topics_per_month: 10_000,
      commentaries_per_month: 50_000,
      ...endpoints
    })
  })

  it("an organization's own limit replaces the limit of its plan, even if the own limit is zero", () => {
    for (const plan of ["standard", "premium"] as const) {
      for (const name of PlanLimitName.literals) {
        for (const figure of [0, 7]) {
          const own = resolveLimits({ plan, limits: { [name]: figure } })
          assert.deepStrictEqual(own, { ...resolveLimits({ plan, limits: {} }), [name]: figure })
        }
      }
    }
  })
})
