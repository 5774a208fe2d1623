import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import { fromIso, toIso } from "../../src/shared/Instant.ts"
import { calculateBillingPeriodBounds, findBillingPeriod } from "../../src/usage/BillingPeriod.ts"

const boundsOf = (iso: string) => {
  const { end, start } = calculateBillingPeriodBounds(fromIso(iso))
  return [toIso(start).slice(0, 10), toIso(end).slice(0, 10)]
}

/** The tests cover times up to the start of the year 9999. */
const horizon = fromIso("9999-01-01T00:00:00.000Z")

describe("Billing periods", () => {
  it("a billing period is the calendar month in UTC", () => {
    for (const [moment, start, end] of [
      ["2026-01-31T23:59:59.999Z", "2026-01-01", "2026-02-01"],
      ["2026-02-01T00:00:00.000Z", "2026-02-01", "2026-03-01"],
      ["2026-02-28T23:59:59.999Z", "2026-02-01", "2026-03-01"],
      ["2028-02-29T12:00:00.000Z", "2028-02-01", "2028-03-01"],
      ["2026-04-30T23:59:59.999Z", "2026-04-01", "2026-05-01"],
      ["2026-09-30T00:00:00.000Z", "2026-09-01", "2026-10-01"],
      ["2026-12-31T23:59:59.999Z", "2026-12-01", "2027-01-01"],
      ["2027-01-01T00:00:00.000Z", "2027-01-01", "2027-02-01"]
    ] as const)
      assert.deepStrictEqual(boundsOf(moment), [start, end])
  })

  it("billing periods have no gaps and no overlaps", () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: horizon - 1 }), (moment) => {
        const { end: next, start } = calculateBillingPeriodBounds(moment)
        assert.isTrue(start <= moment && moment < next)
        assert.strictEqual(findBillingPeriod(start), findBillingPeriod(moment))
        assert.strictEqual(findBillingPeriod(next - 1), findBillingPeriod(moment))
        assert.notStrictEqual(findBillingPeriod(start - 1), findBillingPeriod(moment))
        const days = (next - start) / 86_400_000
        assert.include([28, 29, 30, 31], days)
      })
    ))
})
