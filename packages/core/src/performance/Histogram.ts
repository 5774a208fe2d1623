/** Counts durations in buckets that grow by 10 % each, and calculates percentiles from the counts. */

/**
 * A histogram counts durations in buckets. The map's key is the middle of a bucket in milliseconds, and the map's value
 * is the number of durations in the bucket. The functions that add durations change the histogram in place.
 */
export type DurationHistogram = Map<number, number>

export const addDuration = (to: DurationHistogram, duration: number, count: number): void => {
  to.set(duration, (to.get(duration) ?? 0) + count)
}

export const mergeHistogram = (to: DurationHistogram, more: DurationHistogram): void => {
  for (const [duration, count] of more) addDuration(to, duration, count)
}

/** The start of each bucket is 1.1 times the start of the previous bucket. */
const growth = 1.1

/**
 * Returns the geometric middle of the duration's bucket in whole milliseconds. The middle differs from each duration in
 * the bucket by at most 5 %.
 */
export const findBucketMiddle = (duration: number): number =>
  duration < 1 ? 0 : Math.round(growth ** (Math.floor(Math.log(duration) / Math.log(growth)) + 0.5))

/** Percentiles of durations in milliseconds. The percentiles are null if there are no durations. */
export interface DurationPercentiles {
  readonly count: number
  readonly median: number | null
  readonly p90: number | null
}

export const calculatePercentiles = (histogram: DurationHistogram): DurationPercentiles => {
  const sorted = Float64Array.from(histogram.keys()).sort()
  let count = 0
  for (const each of histogram.values()) count += each
  const percentile = (percent: number) => nearestRank(histogram, sorted, (percent * count) / 100)
  return { count, median: percentile(50), p90: percentile(90) }
}

/** Returns the smallest duration whose cumulative count reaches `rank`; null if there are no durations. */
const nearestRank = (histogram: DurationHistogram, sorted: Float64Array, rank: number): number | null => {
  let seen = 0
  for (const duration of sorted) {
    seen += histogram.get(duration) ?? 0
    if (seen >= rank) return duration
  }
  return null
}
