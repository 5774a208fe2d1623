/** Counts durations in buckets, and calculates percentiles from the counts. */

/**
 * Maps each bucket to its number of durations. The key is a duration in milliseconds. The counts of a histogram change
 * in place.
 */
export type DurationHistogram = Map<number, number>

export const addDuration = (to: DurationHistogram, duration: number, count: number): void => {
  to.set(duration, (to.get(duration) ?? 0) + count)
}

export const addHistogram = (to: DurationHistogram, more: DurationHistogram): void => {
  for (const [duration, count] of more) addDuration(to, duration, count)
}

/** The start of each bucket is 1.1 times the start of the previous bucket. */
const growth = 1.1

/**
 * Returns the geometric middle of the duration's bucket in whole milliseconds. The middle differs from every duration
 * in the bucket by at most 5 %.
 */
export const histogramBucketOf = (duration: number): number =>
  duration < 1 ? 0 : Math.round(growth ** (Math.floor(Math.log(duration) / Math.log(growth)) + 0.5))

/** Percentiles in milliseconds; null without a measurement. */
export interface Percentiles {
  readonly count: number
  readonly median: number | null
  readonly p90: number | null
}

export const percentilesOf = (histogram: DurationHistogram): Percentiles => {
  const sorted = Float64Array.from(histogram.keys()).sort()
  let count = 0
  for (const each of histogram.values()) count += each
  const percentile = (percent: number) => nearestRank(histogram, sorted, (percent * count) / 100)
  return { count, median: percentile(50), p90: percentile(90) }
}

/** Returns the smallest duration for which at least `rank` durations are not longer. */
const nearestRank = (histogram: DurationHistogram, sorted: Float64Array, rank: number): number | null => {
  let seen = 0
  for (const duration of sorted) {
    seen += histogram.get(duration) ?? 0
    if (seen >= rank) return duration
  }
  return null
}
