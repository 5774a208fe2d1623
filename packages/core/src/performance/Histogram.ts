/** Counts durations by length, and reads percentiles from the counts. */

/**
 * Maps a duration in milliseconds to the number of durations in its bucket. The counts of a histogram change in place.
 */
export type DurationHistogram = Map<number, number>

export const addDuration = (to: DurationHistogram, duration: number, count: number): void => {
  to.set(duration, (to.get(duration) ?? 0) + count)
}

export const addHistogram = (to: DurationHistogram, more: DurationHistogram): void => {
  for (const [duration, count] of more) addDuration(to, duration, count)
}

/** Each bucket begins at 1.1 times the start of the one before. */
const growth = 1.1

/**
 * Returns the geometric middle of the duration's bucket in whole milliseconds, which is within 5 % of every duration in
 * the bucket.
 */
export const histogramBucketOf = (duration: number): number =>
  duration < 1 ? 0 : Math.round(growth ** (Math.floor(Math.log(duration) / Math.log(growth)) + 0.5))

/** The values are milliseconds; null without a measurement. */
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

/** Returns the smallest duration that at least `rank` durations do not exceed. */
const nearestRank = (histogram: DurationHistogram, sorted: Float64Array, rank: number): number | null => {
  let seen = 0
  for (const duration of sorted) {
    seen += histogram.get(duration) ?? 0
    if (seen >= rank) return duration
  }
  return null
}
