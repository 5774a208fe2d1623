/** Computes the figures of days from the assignments themselves. Nobody may write meanwhile: RebuiltFigures sees to that for a day. */
import * as Durations from "@partner-commentary/core/performance/Durations"
import { newTally, type Stage, stages, type Tally, timeOf } from "@partner-commentary/core/performance/Figures"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { values } from "../database/Values.ts"
import * as DurationText from "./DurationText.ts"
import { mostRecent } from "./KeptFigures.ts"
import { fromRow, type WayRow } from "./WayRow.ts"

interface Row extends WayRow {
  readonly topic_id: string
  readonly position: number
  readonly organization_id: string
  readonly environment: string
  readonly day: string
  readonly persona_id: string
}

/** What was measured of one persona's day, and how long what is not folded yet would be as text. */
interface Node {
  readonly tally: Tally
  length: number
}

const pageSize = 5000

/** Counts in the database; times row by row, for classes are ours. */
export const recount = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM tallies WHERE day <> ''`
  yield* sql`DELETE FROM performance_times`
  yield* recountTallies(sql, sql`1 = 1`)
  yield* recountTimes(sql)
})

/** `among`: which assignments. */
export const recountTallies = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, among: Fragment) {
  const node = sql.literal("organization_id, environment, substr(created_at, 1, 10), persona_id")
  const into = sql`INSERT INTO tallies (organization_id, environment, day, persona_id, name, total, persona_name)`
  yield* sql`${into} SELECT ${node}, 'sent', COUNT(*), substr(MAX(created_at || persona_name), 25)
    FROM assignments WHERE ${among} GROUP BY ${node}`
  yield* sql`${into} SELECT ${node}, 'approved', COUNT(*), NULL
    FROM assignments WHERE ${among} AND status = 'creator_approved' GROUP BY ${node}`
  yield* sql`${into} SELECT ${node}, failure_reason, COUNT(*), NULL
    FROM assignments WHERE ${among} AND status <> 'creator_approved' AND failure_reason IS NOT NULL
    GROUP BY ${node}, failure_reason`
})

const columns = `topic_id, position, organization_id, environment, substr(created_at, 1, 10) AS day, persona_id, status,
  failure_reason, notified_at, responded_at, first_drafted_at, commentary_approved_at`

/** Of a day's, which are read at once. */
export const recountTimesOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, among: Fragment) {
  const nodes = new Map<string, Node>()
  for (const row of yield* sql<Row>`SELECT ${sql.literal(columns)} FROM assignments
    WHERE ${among} AND responded_at IS NOT NULL`) {
    measure(nodes, row)
  }
  yield* keepTimes(sql, nodes)
})

const recountTimes = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const nodes = new Map<string, Node>()
  let after: Pick<Row, "topic_id" | "position"> | undefined = { topic_id: "", position: 0 }
  while (after !== undefined) {
    const rows: ReadonlyArray<Row> =
      yield* sql<Row>`SELECT ${sql.literal(columns)} FROM assignments WHERE (topic_id, position) > (${after.topic_id}, ${after.position})
      ORDER BY topic_id, position LIMIT ${pageSize}`
    for (const row of rows) if (row.responded_at !== null) measure(nodes, row)
    after = rows.length < pageSize ? undefined : rows.at(-1)
  }
  yield* keepTimes(sql, nodes)
})

const keepTimes = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, nodes: ReadonlyMap<string, Node>) {
  const all = [...nodes]
  for (let from = 0; from < all.length; from += 500) {
    yield* sql`INSERT INTO performance_times ${values(
      sql,
      all.slice(from, from + 500).map(([key, { tally }]) => {
        const { times } = tally
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

const measure = (nodes: Map<string, Node>, row: Row): void => {
  const way = fromRow(row)
  const key = `${row.organization_id} ${row.environment} ${row.day} ${row.persona_id}`
  const node = nodes.get(key) ?? { tally: newTally(), length: 0 }
  nodes.set(key, node)
  const { times } = node.tally
  for (const stage of stages) {
    const time = timeOf(stage, way)
    if (time === null) continue
    times[stage].exact.push(time)
    node.length += DurationText.recentText(stage, time).length
  }
  if (node.length > mostRecent) {
    for (const stage of stages) Durations.fold(times[stage])
    node.length = 0
  }
}

const textOf = (stage: Stage, times: ReadonlyArray<number>): string =>
  times.map((time) => DurationText.recentText(stage, time)).join("")
