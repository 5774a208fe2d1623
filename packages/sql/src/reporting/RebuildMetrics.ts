/**
 * Recomputes the daily metrics from the assignments while the service runs. Each transaction handles one day of one
 * owner.
 */

import * as Histogram from "@partner-commentary/core/performance/Histogram"
import {
  calculateStageDuration,
  type TimelineStage,
  timelineStages
} from "@partner-commentary/core/performance/Metrics"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { valuesClause } from "../database/Clauses.ts"
import { transact } from "../database/Transaction.ts"
import { histogramToRow } from "./DailyMetrics.ts"
import * as TimelineRow from "./TimelineRow.ts"

interface OwnerDay {
  readonly organization_id: OrganizationId
  readonly environment: Environment
  readonly day: string
}

/** The pause between two days lets other writers proceed. */
const pause = "20 millis"

/** The maximum number of rows in one INSERT. */
const batchSize = 500

/** Rebuilds all daily metrics, and returns the number of rebuilt days. The rebuild can be interrupted and repeated. */
export const rebuildMetrics = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let rebuilt = 0
  let next = yield* nextDay(sql, { organization_id: "", environment: "", day: "" })
  while (next !== undefined) {
    yield* transact(sql, rebuildDay(sql, next))
    rebuilt++
    yield* Effect.sleep(pause)
    next = yield* nextDay(sql, next)
  }
  return rebuilt
}).pipe(Effect.orDie)

/** Returns the next day that has topics or metrics. */
const nextDay = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { day, environment, organization_id }: Readonly<Record<keyof OwnerDay, string>>
) {
  // The character `~` sorts after every time of the same day.
  const after = sql`(${organization_id}, ${environment}, ${`${day}~`})`
  const ofTopics =
    yield* sql<OwnerDay>`SELECT organization_id, environment, substr(created_at, 1, 10) AS day FROM topics
    WHERE (organization_id, environment, created_at) > ${after}
    ORDER BY organization_id, environment, created_at LIMIT 1`
  const ofMetrics = yield* Effect.forEach(
    ["counters", "duration_histograms"],
    (table) => sql<OwnerDay>`SELECT organization_id, environment, day FROM ${sql(table)}
      WHERE (organization_id, environment, day) > ${after} AND day <> ''
      ORDER BY organization_id, environment, day LIMIT 1`
  )
  const [first] = [...ofTopics, ...ofMetrics.flat()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  return first
})

const keyOf = (one: OwnerDay): string => `${one.organization_id} ${one.environment} ${one.day}`

/**
 * Replaces the metrics of one day. A change of an assignment writes the assignment first, and then waits for the
 * rebuild's lock. The rebuild does not see an uncommitted assignment row, so the change correctly adds to the rebuilt
 * metrics.
 */
const rebuildDay = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, owner: OwnerDay) {
  const { day, environment, organization_id } = owner
  // The tables are locked in the order in which the writers lock their rows. On SQLite, the first DELETE statement
  // takes the write lock.
  yield* sql.onDialectOrElse({
    pg: () => sql`LOCK TABLE duration_histograms, counters IN SHARE ROW EXCLUSIVE MODE`,
    orElse: () => Effect.void
  })
  const isOwn = sql`organization_id = ${organization_id} AND environment = ${environment}`
  yield* sql`DELETE FROM duration_histograms WHERE ${isOwn} AND day = ${day}`
  yield* sql`DELETE FROM counters WHERE ${isOwn} AND day = ${day}`
  const ofDay = sql`topic_id IN (SELECT id FROM topics
    WHERE ${isOwn} AND created_at > ${day} AND created_at < ${`${day}~`})`
  yield* insertCounters(sql, ofDay)
  yield* insertHistograms(sql, owner, ofDay)
})

const insertCounters = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, ofDay: Fragment) {
  const key = sql.literal("organization_id, environment, substr(created_at, 1, 10), persona_id")
  const into = sql`INSERT INTO counters (organization_id, environment, day, persona_id, name, total, persona_name)`
  yield* sql`${into} SELECT ${key}, 'sent', COUNT(*), substr(MAX(created_at || persona_name), 25)
    FROM assignments WHERE ${ofDay} GROUP BY ${key}`
  yield* sql`${into} SELECT ${key}, 'approved', COUNT(*), NULL
    FROM assignments WHERE ${ofDay} AND status = 'creator_approved' GROUP BY ${key}`
  yield* sql`${into} SELECT ${key}, CASE WHEN was_cancelled = 1 THEN 'cancelled' ELSE failure_reason END AS reason, COUNT(*), NULL
    FROM assignments WHERE ${ofDay} AND status <> 'creator_approved' AND failure_reason IS NOT NULL
    GROUP BY ${key}, reason`
})

const insertHistograms = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, owner: OwnerDay, ofDay: Fragment) {
  const rows = yield* sql<TimelineRow.TimelineRow & { readonly persona_id: string }>`SELECT persona_id, status,
      failure_reason, was_cancelled, notified_at, responded_at, first_drafted_at, commentary_approved_at
    FROM assignments WHERE ${ofDay} AND responded_at IS NOT NULL`
  const histograms = new Map<
    string,
    { persona_id: string; stage: TimelineStage; durations: Histogram.DurationHistogram }
  >()
  for (const row of rows) {
    for (const stage of timelineStages) {
      const duration = calculateStageDuration(stage, TimelineRow.fromRow(row))
      if (duration === null) continue
      const key = `${row.persona_id} ${stage}`
      const histogram = histograms.get(key) ?? { persona_id: row.persona_id, stage, durations: new Map() }
      histograms.set(key, histogram)
      Histogram.addDuration(histogram.durations, duration, 1)
    }
  }
  const found = [...histograms.values()].map(({ durations, ...key }) => ({
    ...owner,
    ...key,
    ...histogramToRow(durations)
  }))
  for (let from = 0; from < found.length; from += batchSize) {
    yield* sql`INSERT INTO duration_histograms ${valuesClause(sql, found.slice(from, from + batchSize))}`
  }
})
