/**
 * Updates daily metrics with each change of an assignment. The metrics are grouped by persona and by the UTC day on
 * which the assignment was sent. Counters store the outcomes, and histograms store the durations.
 */

import { addDuration, type DurationHistogram, findBucketMiddle } from "@partner-commentary/core/performance/Histogram"
import {
  calculateStoredCountDeltas,
  findNewlyCompletedStages,
  toAssignmentTimeline
} from "@partner-commentary/core/performance/Metrics"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { CounterIncrement } from "./Counters.ts"

export const formatUtcDay = (moment: Instant.Instant): string => Instant.toIso(moment).slice(0, 10)

/** Returns the increments of the counters that a change of one assignment affects. */
export const makeCounterIncrements = (before: Assignment, after: Assignment): ReadonlyArray<CounterIncrement> =>
  calculateStoredCountDeltas(toAssignmentTimeline(before), toAssignmentTimeline(after)).map(([name, total]) => ({
    day: formatUtcDay(before.createdAt),
    persona_id: before.persona.id,
    name,
    total,
    persona_name: null
  }))

/**
 * Counts the duration of each stage that the change completed. The statement can return the number of exact durations
 * for `fold`, which compacts the histogram if the number is too high. The rows stay locked until the commit.
 */
export const makeDurationWrites = (sql: SqlClient.SqlClient, before: Assignment, after: Assignment) =>
  findNewlyCompletedStages(toAssignmentTimeline(before), toAssignmentTimeline(after)).map(([stage, duration]) => {
    const key = {
      organization_id: before.organizationId,
      environment: before.environment,
      day: formatUtcDay(before.createdAt),
      persona_id: before.persona.id,
      stage
    }
    const statement = sql`INSERT INTO duration_histograms AS stored
        ${sql.insert({ ...key, ...histogramToRow(new Map([[duration, 1]])) })}
      ON CONFLICT (organization_id, environment, day, persona_id, stage) DO UPDATE SET
        counts = stored.counts || ',' || excluded.counts, exact = stored.exact + 1`
    const isRow = sql.and(Object.entries(key).map(([name, value]) => sql`${sql(name)} = ${value}`))
    const compact = Effect.gen(function* () {
      const [row] = yield* sql<HistogramRow>`SELECT counts, exact FROM duration_histograms WHERE ${isRow}`
      if (row === undefined) return
      const histogram: DurationHistogram = new Map()
      addRowToHistogram(histogram, row)
      yield* sql`UPDATE duration_histograms SET ${sql.update({ ...histogramToRow(histogram) })} WHERE ${isRow}`
    })
    const fold = (exact: number) => (exact > compactionThreshold ? compact : Effect.void)
    return { statement, fold }
  })

/**
 * The columns of a duration histogram. SQL appends each new duration, and a compaction replaces many durations by the
 * buckets that contain them.
 */
export interface HistogramRow {
  /** The elements of a JSON array, in which each duration is followed by its count. */
  readonly counts: string
  /** The number of exact durations since the last compaction. */
  readonly exact: number
}

/** The maximum number of different exact durations that remain after a compaction. */
const maxExactDurations = 30

/**
 * The number of exact durations above which the histogram is compacted. Because a compaction leaves at most
 * `maxExactDurations`, at least as many durations are added before the next compaction.
 */
const compactionThreshold = 2 * maxExactDurations

export const histogramToRow = (histogram: DurationHistogram): HistogramRow => {
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
