/**
 * Reads the assignments of a period for reports. For whole days the store reads daily metrics, and for a part of a day
 * the store reads pages of topics.
 */
import {
  type AssignmentTimelineWithPersona,
  makeEmptyMetrics,
  type OutcomeCounts,
  type TimelineStage
} from "@partner-commentary/core/performance/Metrics"
import { PerformanceStore, type PersonaMetrics } from "@partner-commentary/core/performance/PerformanceStore"
import type { PersonaId, TopicId } from "@partner-commentary/core/shared/Ids"
import { fromIso, type Instant, toIso } from "@partner-commentary/core/shared/Instant"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { PageCursor } from "@partner-commentary/core/shared/Page"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { limitClause } from "../database/Clauses.ts"
import { addRowToHistogram, formatUtcDay, type HistogramRow } from "./DailyMetrics.ts"
import * as TimelineRow from "./TimelineRow.ts"

interface CountRow {
  readonly persona_id: PersonaId
  readonly name: keyof OutcomeCounts
  readonly total: number
  /** The latest day and the persona's name on that day. The field is null for counters that store no name. */
  readonly latest: string | null
}

interface StageRow extends Pick<HistogramRow, "counts"> {
  readonly persona_id: PersonaId
  readonly stage: TimelineStage
}

interface PersonaTimelineRow extends TimelineRow.TimelineRow {
  readonly topic_id: TopicId
  readonly created_at: string
  readonly persona_id: PersonaId
  readonly persona_name: string
}

export const layer = Layer.effect(
  PerformanceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const within = ({ environment, organizationId }: Owner, start: Instant, end: Instant | null) =>
      sql`organization_id = ${organizationId} AND environment = ${environment} AND day >= ${formatUtcDay(start)}
        ${end === null ? sql.literal("") : sql`AND day < ${formatUtcDay(end)}`}`

    const days = Effect.fnUntraced(function* (owner: Owner, start: Instant, end: Instant | null) {
      const counts = yield* sql<CountRow>`SELECT persona_id, name, CAST(SUM(total) AS INTEGER) AS total,
          MAX(day || persona_name) AS latest
        FROM counters WHERE ${within(owner, start, end)} GROUP BY persona_id, name`
      const histograms = yield* sql<StageRow>`SELECT persona_id, stage, counts
        FROM duration_histograms WHERE ${within(owner, start, end)}`
      const personas = new Map<PersonaId, PersonaMetrics & { personaName: string }>()
      for (const { latest, name, persona_id, total } of counts) {
        const persona = personas.get(persona_id) ?? {
          personaId: persona_id,
          personaName: "",
          metrics: makeEmptyMetrics()
        }
        personas.set(persona_id, persona)
        persona.metrics.counts[name] = total
        if (latest !== null) persona.personaName = latest.slice(dayLength)
      }
      for (const [index, row] of histograms.entries()) {
        const persona = personas.get(row.persona_id)
        if (persona !== undefined) addRowToHistogram(persona.metrics.durations[row.stage], row)
        if (index % rowsBetweenYields === rowsBetweenYields - 1) yield* Effect.yieldNow
      }
      for (const { metrics } of personas.values()) metrics.counts.pending = pendingOf(metrics.counts)
      return [...personas.values()]
    })

    const page = Effect.fnUntraced(function* (
      owner: Owner,
      { end, start }: { readonly start: Instant; readonly end: Instant },
      after: PageCursor | null,
      limit: number
    ) {
      const from =
        after === null
          ? sql`created_at >= ${toIso(start)}`
          : sql`(created_at, id) > (${toIso(after.createdAt)}, ${after.id})`
      const rows =
        yield* sql<PersonaTimelineRow>`SELECT a.topic_id, t.created_at, a.persona_id, a.persona_name, a.status,
          a.failure_reason, a.was_cancelled, a.notified_at, a.responded_at, a.first_drafted_at, a.commentary_approved_at
        FROM (SELECT created_at, id FROM topics
          WHERE organization_id = ${owner.organizationId} AND environment = ${owner.environment}
            AND ${from} AND created_at < ${toIso(end)}
          ORDER BY created_at, id ${limitClause(sql, limit)}) t JOIN assignments a ON a.topic_id = t.id
        ORDER BY t.created_at, t.id, a.position`
      const last = rows.at(-1)
      const isFull = new Set(rows.map(({ topic_id }) => topic_id)).size === limit
      const next = last === undefined || !isFull ? null : { createdAt: fromIso(last.created_at), id: last.topic_id }
      return { timelines: rows.map(fromRow), next }
    })

    return PerformanceStore.of({
      days: (owner, start, end) => Effect.orDie(days(owner, start, end)),
      page: (owner, period, after, limit) => Effect.orDie(page(owner, period, after, limit))
    })
  })
)

/**
 * The number of rows after which the loop yields to other fibers. The processing of one row takes tens of microseconds.
 */
const rowsBetweenYields = 500

const dayLength = "2026-01-30".length

const pendingOf = ({ pending: _, sent, ...settled }: OutcomeCounts): number =>
  Object.values(settled).reduce((left, count) => left - count, sent)

const fromRow = (row: PersonaTimelineRow): AssignmentTimelineWithPersona => ({
  personaId: row.persona_id,
  personaName: row.persona_name,
  ...TimelineRow.fromRow(row)
})
