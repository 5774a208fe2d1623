/**
 * Metrics by the day (UTC) on which assignments were sent and by persona, updated with each change: outcomes in counters,
 * durations in histograms.
 */
import { completedStages, timelineOf } from "@partner-commentary/core/performance/AssignmentTimeline"
import type { DurationHistogram } from "@partner-commentary/core/performance/Histogram"
import { countChanges } from "@partner-commentary/core/performance/Metrics"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { CounterIncrement } from "./Counters.ts"
import * as HistogramRow from "./HistogramRow.ts"

export const dayOf = (moment: Instant.Instant): string => Instant.toIso(moment).slice(0, 10)

/** Returns the changed counts of one assignment. */
export const changedCounts = (before: Assignment, after: Assignment): ReadonlyArray<CounterIncrement> =>
  countChanges(timelineOf(before), timelineOf(after)).map(([name, total]) => ({
    day: dayOf(before.createdAt),
    persona_id: before.persona.id,
    name,
    total,
    persona_name: null
  }))

/** Counts the duration of each stage that the change completed. The rows stay locked until the commit. */
export const addDurations = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  before: Assignment,
  after: Assignment
) {
  for (const [stage, duration] of completedStages(timelineOf(before), timelineOf(after))) {
    const key = {
      organization_id: before.organizationId,
      environment: before.environment,
      day: dayOf(before.createdAt),
      persona_id: before.persona.id,
      stage
    }
    const [row] = yield* sql<HistogramRow.HistogramRow>`INSERT INTO duration_histograms AS stored
        ${sql.insert({ ...key, ...HistogramRow.toRow(new Map([[duration, 1]])) })}
      ON CONFLICT (organization_id, environment, day, persona_id, stage) DO UPDATE SET
        counts = stored.counts || ',' || excluded.counts, exact = stored.exact + 1
      RETURNING counts, exact`
    if (row === undefined || row.exact <= HistogramRow.maxExact) continue
    const histogram: DurationHistogram = new Map()
    HistogramRow.addToHistogramRow(histogram, row)
    yield* sql`UPDATE duration_histograms SET ${sql.update({ ...HistogramRow.toRow(histogram) })} WHERE ${sql.and(
      Object.entries(key).map(([name, value]) => sql`${sql(name)} = ${value}`)
    )}`
  }
})
