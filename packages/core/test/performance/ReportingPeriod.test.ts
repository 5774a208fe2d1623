import { describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { assert } from "vitest"
import { divide, reportingPeriod, stepsOf } from "../../src/performance/ReportingPeriod.ts"
import { noon } from "../topic/FreshAssignment.ts"

const day = 24 * 3_600_000
const midnight = Math.floor(noon / day) * day
const period = (from: number | null, to: number | null) =>
  Result.match(reportingPeriod({ from, to }, noon), {
    onFailure: ({ reason }) => reason,
    onSuccess: ({ end, start }) => ({ start, end })
  })

describe("a reporting period", () => {
  it("begins with the day that was 30 days ago unless told otherwise", () => {
    assert.deepStrictEqual(period(null, null), { start: midnight - 30 * day, end: noon })
    assert.deepStrictEqual(period(noon - 1, null), { start: noon - 1, end: noon })
    assert.deepStrictEqual(period(null, noon + day), { start: midnight - 29 * day, end: noon + day })
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
    assert.deepStrictEqual(period(null, last), { start: Date.parse("9999-12-01T00:00:00.000Z"), end: last })
  })
})

describe("a period is divided", () => {
  const asked = (start: number, end: number, untilNow = false) => divide({ start, end, untilNow })

  it("into whole days, and what is left of a day before and after them", () => {
    assert.deepStrictEqual(asked(midnight - 1, midnight + 2 * day + 1), {
      before: { start: midnight - 1, end: midnight },
      days: { start: midnight, end: midnight + 2 * day },
      after: { start: midnight + 2 * day, end: midnight + 2 * day + 1 }
    })
  })

  it("without what it does not have", () => {
    const whole = { before: null, days: { start: midnight, end: midnight + day }, after: null }
    assert.deepStrictEqual(asked(midnight, midnight + day), whole)
    const part = { before: { start: midnight, end: noon }, days: null, after: null }
    assert.deepStrictEqual(asked(noon - 1, noon).before, { start: noon - 1, end: noon })
    assert.deepStrictEqual(asked(midnight, noon), { before: null, days: null, after: part.before })
    const around = asked(midnight - 1, midnight + 1)
    assert.isNull(around.days)
    assert.deepStrictEqual(around.before?.end, around.after?.start)
  })

  it("with everything sent so far where it ends now", () => {
    assert.deepStrictEqual(asked(noon, noon + 1, true), {
      before: { start: noon, end: midnight + day },
      days: { start: midnight + day, end: null },
      after: null
    })
  })
})

describe("whole days are read in steps", () => {
  it("of 31 days at most that follow each other and leave nothing out", () => {
    for (const days of [1, 30, 31, 32, 62, 366]) {
      const end = midnight + days * day
      const steps = stepsOf({ start: midnight, end }, noon)
      assert.strictEqual(steps[0]?.start, midnight)
      assert.strictEqual(steps.at(-1)?.end, end)
      for (const [index, { end: until, start }] of steps.entries()) {
        assert.isAtMost((until ?? Number.NaN) - start, 31 * day)
        if (index > 0) assert.strictEqual(steps[index - 1]?.end, start)
      }
    }
  })

  it("the last without an end where the period ends now", () => {
    assert.deepStrictEqual(stepsOf({ start: midnight - 32 * day, end: null }, noon), [
      { start: midnight - 32 * day, end: midnight - day },
      { start: midnight - day, end: null }
    ])
    assert.deepStrictEqual(stepsOf({ start: midnight + day, end: null }, noon), [{ start: midnight + day, end: null }])
  })
})
