/**
 * Maps a duration histogram to its columns. SQL appends each new duration, and a compaction replaces many durations by
 * the buckets that contain them.
 */
import { addDuration, type DurationHistogram, findBucketMiddle } from "@partner-commentary/core/performance/Histogram"

export interface HistogramRow {
  /** The elements of a JSON array, in which each duration is followed by its count. */
  readonly counts: string
  /** The number of exact durations since the last compaction. */
  readonly exact: number
}

/** The maximum number of exact durations in a histogram, above which the histogram is compacted. */
export const maxExactDurations = 30

export const toRow = (histogram: DurationHistogram): HistogramRow => {
  if (histogram.size <= maxExactDurations) return { counts: [...histogram].join(), exact: histogram.size }
  const buckets: DurationHistogram = new Map()
  for (const [duration, count] of histogram) addDuration(buckets, findBucketMiddle(duration), count)
  return { counts: [...buckets].join(), exact: 0 }
}

export const addRowToHistogram = (histogram: DurationHistogram, { counts }: Pick<HistogramRow, "counts">): void => {
  const numbers: ReadonlyArray<number> = JSON.parse(`[${counts}]`)
  for (let index = 0; index < numbers.length; index += 2)
    addDuration(histogram, numbers[index] ?? 0, numbers[index + 1] ?? 0)
}
