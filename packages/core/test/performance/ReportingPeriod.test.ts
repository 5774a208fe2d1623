import { describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { assert } from "vitest"
import {
  resolveReportingPeriod,
  splitDaysIntoQueryRanges,
  splitIntoDaysAndPartialDays
} from "../../src/performance/ReportingPeriod.ts"
import { noonInMillis } from "../topic/SampleAssignments.ts"

const day = 24 * 3_600_000
const midnight = Math.floor(noonInMillis / day) * day
const period = (from: number | null, to: number | null) =>
  Result.match(resolveReportingPeriod({ from, to }, noonInMillis), {
    onFailure: ({ reason }) => reason,
    onSuccess: ({ end, start }) => ({ start, end })
  })

describe("a reporting period", () => {
  it("the default reporting period starts at midnight (UTC), 30 days before the day on which the period ends", () => {
    assert.deepStrictEqual(period(null, null), { start: midnight - 30 * day, end: noonInMillis })
    assert.deepStrictEqual(period(noonInMillis - 1, null), { start: noonInMillis - 1, end: noonInMillis })
    assert.deepStrictEqual(period(null, noonInMillis + day), { start: midnight - 29 * day, end: noonInMillis + day })
    assert.deepStrictEqual(period(noonInMillis - 9, noonInMillis - 8), {
      start: noonInMillis - 9,
      end: noonInMillis - 8
    })
  })

  it("a reporting period whose start is not before its end is rejected", () => {
    assert.strictEqual(period(noonInMillis, noonInMillis), "backwards")
    assert.strictEqual(period(noonInMillis, noonInMillis - 1), "backwards")
    assert.strictEqual(period(noonInMillis, null), "backwards")
  })

  it("a reporting period of more than 366 days is rejected", () => {
    assert.deepStrictEqual(period(noonInMillis - 366 * day, null), {
      start: noonInMillis - 366 * day,
      end: noonInMillis
    })
    assert.strictEqual(period(noonInMillis - 366 * day - 1, null), "too_long")
  })

  it("a reporting period before the year 2000 is rejected, and a period until the end of the year 9999 is valid", () => {
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

describe("dividing a period", () => {
  const asked = (start: number, end: number, untilNow = false) => splitIntoDaysAndPartialDays({ start, end, untilNow })

  it("a divided period has whole days, a partial day before them and a partial day after them", () => {
    assert.deepStrictEqual(asked(midnight - 1, midnight + 2 * day + 1), {
      before: { start: midnight - 1, end: midnight },
      days: { start: midnight, end: midnight + 2 * day },
      after: { start: midnight + 2 * day, end: midnight + 2 * day + 1 }
    })
  })

  it("a divided period has null instead of an empty part", () => {
    const whole = { before: null, days: { start: midnight, end: midnight + day }, after: null }
    assert.deepStrictEqual(asked(midnight, midnight + day), whole)
    const part = { before: { start: midnight, end: noonInMillis }, days: null, after: null }
    assert.deepStrictEqual(asked(noonInMillis - 1, noonInMillis).before, { start: noonInMillis - 1, end: noonInMillis })
    assert.deepStrictEqual(asked(midnight, noonInMillis), { before: null, days: null, after: part.before })
    const around = asked(midnight - 1, midnight + 1)
    assert.isNull(around.days)
    assert.deepStrictEqual(around.before?.end, around.after?.start)
  })

  it("a divided period that ends now includes all assignments sent so far", () => {
    assert.deepStrictEqual(asked(noonInMillis, noonInMillis + 1, true), {
      before: { start: noonInMillis, end: midnight + day },
      days: { start: midnight + day, end: null },
      after: null
    })
  })
})

describe("reading whole days", () => {
  it("whole days are read in consecutive steps of at most 31 days", () => {
    for (const days of [1, 30, 31, 32, 62, 366]) {
      const end = midnight + days * day
      const steps = splitDaysIntoQueryRanges({ start: midnight, end }, noonInMillis)
      assert.strictEqual(steps[0]?.start, midnight)
      assert.strictEqual(steps.at(-1)?.end, end)
      for (const [index, { end: until, start }] of steps.entries()) {
        assert.isAtMost((until ?? Number.NaN) - start, 31 * day)
        if (index > 0) assert.strictEqual(steps[index - 1]?.end, start)
      }
    }
  })

  it("if a reporting period has no end, its ranges have at most 31 days, and the last range has no end", () => {
    assert.deepStrictEqual(splitDaysIntoQueryRanges({ start: midnight - 32 * day, end: null }, noonInMillis), [
      { start: midnight - 32 * day, end: midnight - day },
      { start: midnight - day, end: null }
    ])
    assert.deepStrictEqual(splitDaysIntoQueryRanges({ start: midnight + day, end: null }, noonInMillis), [
      { start: midnight + day, end: null }
    ])
  })
})
