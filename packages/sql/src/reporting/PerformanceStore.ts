/** How a period's assignments have gone: whole days as they were kept, and what is left of a day by its topics, a page at a time. */
import { type Counts, type Course, newTally, type Tally } from "@partner-commentary/core/performance/Figures"
import { type KeptOfPersona, PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import type { PersonaId, TopicId } from "@partner-commentary/core/shared/Ids"
import { fromIso, type Instant, toIso } from "@partner-commentary/core/shared/Instant"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { Cursor } from "@partner-commentary/core/shared/Page"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { addRow, dayOf, type TimesRow } from "./KeptFigures.ts"
import * as WayRow from "./WayRow.ts"

interface CountRow {
  readonly persona_id: PersonaId
  readonly name: keyof Counts
  readonly total: number
  /** The day and the persona's name on it, where it was sent anything. */
  readonly latest: string | null
}

interface CourseRow extends WayRow.WayRow {
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
      sql`organization_id = ${organizationId} AND environment = ${environment} AND day >= ${dayOf(start)}
        ${end === null ? sql.literal("") : sql`AND day < ${dayOf(end)}`}`

    const days = Effect.fnUntraced(function* (owner: Owner, start: Instant, end: Instant | null) {
      const counts = yield* sql<CountRow>`SELECT persona_id, name, CAST(SUM(total) AS INTEGER) AS total,
          MAX(day || persona_name) AS latest
        FROM tallies WHERE ${within(owner, start, end)} GROUP BY persona_id, name`
      const times = yield* sql<TimesRow & { readonly persona_id: PersonaId }>`SELECT persona_id, folded, recent
        FROM performance_times WHERE ${within(owner, start, end)}`
      const kept = new Map<PersonaId, { tally: Tally; personaName: string }>()
      for (const { latest, name, persona_id, total } of counts) {
        const persona = kept.get(persona_id) ?? { tally: newTally(), personaName: "" }
        kept.set(persona_id, persona)
        persona.tally.counts[name] = total
        if (latest !== null) persona.personaName = latest.slice(dayLength)
      }
      for (const [index, row] of times.entries()) {
        const persona = kept.get(row.persona_id)
        if (persona !== undefined) addRow(persona.tally, row)
        if (index % rowsBetweenYields === rowsBetweenYields - 1) yield* Effect.yieldNow
      }
      return [...kept].map(([personaId, { personaName, tally }]): KeptOfPersona => {
        return { personaId, personaName, tally: { ...tally, counts: withPending(tally.counts) } }
      })
    })

    const page = Effect.fnUntraced(function* (
      owner: Owner,
      { end, start }: { readonly start: Instant; readonly end: Instant },
      after: Cursor | null,
      limit: number
    ) {
      const from =
        after === null
          ? sql`created_at >= ${toIso(start)}`
          : sql`(created_at, id) > (${toIso(after.createdAt)}, ${after.id})`
      const rows = yield* sql<CourseRow>`SELECT a.topic_id, t.created_at, a.persona_id, a.persona_name, a.status,
          a.failure_reason, a.notified_at, a.responded_at, a.first_drafted_at, a.commentary_approved_at
        FROM (SELECT created_at, id FROM topics
          WHERE organization_id = ${owner.organizationId} AND environment = ${owner.environment}
            AND ${from} AND created_at < ${toIso(end)}
          ORDER BY created_at, id LIMIT ${limit}) t JOIN assignments a ON a.topic_id = t.id
        ORDER BY t.created_at, t.id, a.position`
      const last = rows.at(-1)
      const isFull = new Set(rows.map(({ topic_id }) => topic_id)).size === limit
      const next = last === undefined || !isFull ? null : { createdAt: fromIso(last.created_at), id: last.topic_id }
      return { courses: rows.map(fromRow), next }
    })

    return PerformanceStore.of({
      days: (owner, start, end) => Effect.orDie(days(owner, start, end)),
      page: (owner, period, after, limit) => Effect.orDie(page(owner, period, after, limit))
    })
  })
)

/** Adding a row of times takes tens of microseconds. */
const rowsBetweenYields = 500

const dayLength = "2026-01-30".length

const withPending = (counts: Tally["counts"]): Tally["counts"] => {
  const { pending: _, sent, ...settled } = counts
  return { ...counts, pending: Object.values(settled).reduce((left, count) => left - count, sent) }
}

const fromRow = (row: CourseRow): Course => ({
  personaId: row.persona_id,
  personaName: row.persona_name,
  ...WayRow.fromRow(row)
})
