import { describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { assert } from "vitest"
import { reportingPeriod } from "../../src/performance/ReportingPeriod.ts"
import { noon } from "../topic/FreshAssignment.ts"

const day = 24 * 3_600_000
const period = (from: number | null, to: number | null) =>
  Result.match(reportingPeriod({ from, to }, noon), { onFailure: ({ reason }) => reason, onSuccess: (valid) => valid })

describe("a reporting period", () => {
  it("is the last 30 days unless told otherwise", () => {
    assert.deepStrictEqual(period(null, null), { start: noon - 30 * day, end: noon })
    assert.deepStrictEqual(period(noon - 1, null), { start: noon - 1, end: noon })
    assert.deepStrictEqual(period(null, noon + day), { start: noon - 29 * day, end: noon + day })
    assert.deepStrictEqual(period(noon - 9, noon - 8), { start: noon - 9, end: noon - 8 })
  })

  it("starts before it ends", () => {
    assert.strictEqual(period(noon, noon), "backwards")
    assert.strictEqual(period(noon, noon - 1), "backwards")
    assert.strictEqual(period(noon, null), "backwards")
  })

  it("has 366 days and not a millisecond more", () => {
    assert.deepStrictEqual(period(noon - 366 * day, null), { start: noon - 366 * day, end: noon })
    assert.strictEqual(period(noon - 366 * day - 1, null), "too_long")
  })

  it("lies in the years 2000 to 9999, which every answer can write", () => {
    const first = Date.UTC(2000, 0, 1)
    for (const to of [Date.parse("0000-01-01T00:00:00Z"), first - 1, first]) {
      assert.strictEqual(period(null, to), "too_early")
      assert.strictEqual(period(to - 1, to), "too_early")
    }
    assert.strictEqual(period(first - 1, first + 1), "too_early")
    assert.deepStrictEqual(period(first, first + 1), { start: first, end: first + 1 })
    assert.deepStrictEqual(period(null, first + day), { start: first, end: first + day })
    const last = Date.parse("9999-12-31T23:59:59.999Z")
    assert.deepStrictEqual(period(null, last), { start: last - 30 * day, end: last })
  })
})
