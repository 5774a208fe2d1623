import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import {
  addDuration,
  calculatePercentiles,
  type DurationHistogram,
  findBucketMiddle
} from "../../src/performance/Histogram.ts"

const of = (...durations: ReadonlyArray<number>): DurationHistogram => {
  const histogram: DurationHistogram = new Map()
  for (const duration of durations) addDuration(histogram, duration, 1)
  return histogram
}

describe("percentiles", () => {
  it("a percentile is the smallest measured value that at least 50 % or 90 % of the values do not exceed", () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 250 }), (values) => {
        const smallest = (percent: number) =>
          Math.min(
            ...values.filter(
              (limit) => values.filter((value) => value <= limit).length * 100 >= percent * values.length
            )
          )
        assert.deepStrictEqual(calculatePercentiles(of(...values)), {
          count: values.length,
          median: smallest(50),
          p90: smallest(90)
        })
      })
    ))

  it("the percentiles of an empty histogram are null", () =>
    assert.deepStrictEqual(calculatePercentiles(of()), { count: 0, median: null, p90: null }))

  it("the percentiles of one value are that value, and the median of two values is the smaller one", () => {
    assert.deepStrictEqual(calculatePercentiles(of(7)), { count: 1, median: 7, p90: 7 })
    assert.deepStrictEqual(calculatePercentiles(of(9, 7)), { count: 2, median: 7, p90: 9 })
  })
})

describe("a histogram bucket", () => {
  const duration = fc.integer({ min: 0, max: 100_000_000_000 })

  it("the middle of a bucket differs from every duration in the bucket by at most 5 %", () =>
    fc.assert(fc.property(duration, (exact) => assert.closeTo(findBucketMiddle(exact), exact, exact * 0.05 + 0.5))))

  it("the middle of a histogram bucket belongs to the same bucket", () =>
    fc.assert(
      fc.property(duration, (exact) =>
        assert.strictEqual(findBucketMiddle(findBucketMiddle(exact)), findBucketMiddle(exact))
      )
    ))
})
