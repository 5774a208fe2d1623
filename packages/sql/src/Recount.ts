/** Makes what is kept of each day anew from the assignments themselves. Nobody may write meanwhile. */
import { newTally, type Stage, stages, type Tally, timeOf } from "@partner-commentary/core/performance/Figures"
import type { AssignmentStatus, FailureReason } from "@partner-commentary/core/topic/Assignment"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { fromIsoOrNull } from "./Columns.ts"
import * as DurationText from "./DurationText.ts"
import { mostRecent } from "./KeptFigures.ts"
import { values } from "./Values.ts"

interface Row {
  readonly topic_id: string
  readonly position: number
  readonly organization_id: string
  readonly environment: string
  readonly day: string
  readonly persona_id: string
  readonly status: AssignmentStatus
  readonly failure_reason: FailureReason | null
  readonly notified_at: string | null
  readonly responded_at: string | null
  readonly first_drafted_at: string | null
  readonly commentary_approved_at: string | null
}

const pageSize = 5000

/** Counts in the database; times row by row, for classes are ours. */
export const recount = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM tallies WHERE day <> ''`
  yield* sql`DELETE FROM performance_times`
  const node = sql.literal("organization_id, environment, substr(created_at, 1, 10), persona_id")
  const into = sql`INSERT INTO tallies (organization_id, environment, day, persona_id, name, total, persona_name)`
  yield* sql`${into} SELECT ${node}, 'sent', COUNT(*), substr(MAX(created_at || persona_name), 25)
    FROM assignments GROUP BY ${node}`
  yield* sql`${into} SELECT ${node}, 'approved', COUNT(*), NULL
    FROM assignments WHERE status = 'creator_approved' GROUP BY ${node}`
  yield* sql`${into} SELECT ${node}, failure_reason, COUNT(*), NULL
    FROM assignments WHERE status <> 'creator_approved' AND failure_reason IS NOT NULL GROUP BY ${node}, failure_reason`
  yield* recountTimes(sql)
})

const recountTimes = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const nodes = new Map<string, Tally>()
  let after: Pick<Row, "topic_id" | "position"> | undefined = { topic_id: "", position: 0 }
  while (after !== undefined) {
    const rows: ReadonlyArray<Row> = yield* sql<Row>`SELECT topic_id, position, organization_id, environment,
        substr(created_at, 1, 10) AS day, persona_id, status, failure_reason, notified_at, responded_at,
        first_drafted_at, commentary_approved_at
      FROM assignments WHERE (topic_id, position) > (${after.topic_id}, ${after.position})
      ORDER BY topic_id, position LIMIT ${pageSize}`
    for (const row of rows) if (row.responded_at !== null) measure(nodes, row)
    after = rows.length < pageSize ? undefined : rows.at(-1)
  }
  const all = [...nodes]
  for (let from = 0; from < all.length; from += 500) {
    yield* sql`INSERT INTO performance_times ${values(
      sql,
      all.slice(from, from + 500).map(([key, { times }]) => {
        const [organization_id, environment, day, persona_id] = key.split(" ")
        const recent = stages.map((stage) => textOf(stage, times[stage].exact)).join("")
        const isLittle = stages.every((stage) => times[stage].classes === null)
        return {
          organization_id,
          environment,
          day,
          persona_id,
          recent: isLittle ? recent : "",
          folded: isLittle ? "" : DurationText.foldedText(times)
        }
      })
    )}`
  }
})

const measure = (nodes: Map<string, Tally>, row: Row): void => {
  const way = {
    status: row.status,
    failureReason: row.failure_reason,
    notifiedAt: fromIsoOrNull(row.notified_at),
    respondedAt: fromIsoOrNull(row.responded_at),
    firstDraftedAt: fromIsoOrNull(row.first_drafted_at),
    approvedAt: fromIsoOrNull(row.commentary_approved_at)
  }
  const key = `${row.organization_id} ${row.environment} ${row.day} ${row.persona_id}`
  const node = nodes.get(key) ?? newTally()
  nodes.set(key, node)
  const { times } = node
  for (const stage of stages) {
    const time = timeOf(stage, way)
    if (time !== null) times[stage].exact.push(time)
  }
  if (stages.reduce((sum, stage) => sum + textOf(stage, times[stage].exact).length, 0) > mostRecent)
    DurationText.foldedText(times)
}

const textOf = (stage: Stage, times: ReadonlyArray<number>): string =>
  times.map((time) => DurationText.recentText(stage, time)).join("")
