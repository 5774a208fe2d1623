/**
 * The figures of a day, kept with each change by the day (UTC) that an assignment was sent on and by its persona: what its assignments came to,
 * in tallies, and how long they took. Durations are appended, and folded into classes when some dozens have come together.
 */
import {
  type Kept,
  measured,
  newTally,
  recount,
  type Tally as Seen,
  type Stage,
  wayOf
} from "@partner-commentary/core/performance/Figures"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { forUpdate } from "../database/Lock.ts"
import * as DurationText from "./DurationText.ts"
import type { Tally } from "./Tallies.ts"

/** So many characters of recent durations are kept as they are: some thirty. */
export const mostRecent = 300

export const dayOf = (moment: Instant.Instant): string => Instant.toIso(moment).slice(0, 10)

/** Of assignments that were just sent, all on one day. */
export const sent = (assignments: ReadonlyArray<Assignment>): ReadonlyArray<Tally> => {
  const day = dayOf(assignments[0]?.createdAt ?? 0)
  return assignments.map(({ persona }) => ({
    day,
    persona_id: persona.id,
    name: "sent",
    total: 1,
    persona_name: persona.name
  }))
}

/** Of one that went a step further. */
export const tallies = (before: Assignment, after: Assignment): ReadonlyArray<Tally> =>
  (Object.entries(recount(wayOf(before), wayOf(after))) as ReadonlyArray<[Kept, number]>).map(([name, total]) => ({
    day: dayOf(before.createdAt),
    persona_id: before.persona.id,
    name,
    total,
    persona_name: null
  }))

interface Node {
  readonly organization_id: string
  readonly environment: string
  readonly day: string
  readonly persona_id: string
}

/** Keeps how long took what ended with this step. The row stays locked until the transaction ends. */
export const addTimes = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, before: Assignment, after: Assignment) {
  const times = measured(wayOf(before), wayOf(after))
  if (times.length === 0) return
  const node: Node = {
    organization_id: before.organizationId,
    environment: before.environment,
    day: dayOf(before.createdAt),
    persona_id: before.persona.id
  }
  const recent = times.map(([stage, time]: readonly [Stage, number]) => DurationText.recentText(stage, time)).join("")
  const [row] = yield* sql<{ readonly length: number }>`INSERT INTO performance_times AS kept ${sql.insert({
    ...node,
    recent,
    folded: ""
  })} ON CONFLICT (organization_id, environment, day, persona_id) DO UPDATE SET recent = kept.recent || excluded.recent
    RETURNING LENGTH(recent) AS length`
  if ((row?.length ?? 0) > mostRecent) yield* fold(sql, node)
})

const fold = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, node: Node) {
  const isNode = sql`organization_id = ${node.organization_id} AND environment = ${node.environment}
    AND day = ${node.day} AND persona_id = ${node.persona_id}`
  const [row] = yield* sql<TimesRow>`SELECT folded, recent FROM performance_times WHERE ${isNode} ${forUpdate(sql)}`
  if (row === undefined) return
  const seen = newTally()
  addRow(seen, row)
  yield* sql`UPDATE performance_times SET folded = ${DurationText.foldedText(seen.times)}, recent = '' WHERE ${isNode}`
})

export interface TimesRow {
  readonly folded: string
  readonly recent: string
}

export const addRow = ({ times }: Seen, { folded, recent }: TimesRow): void => {
  DurationText.addFolded(times, folded)
  DurationText.addRecent(times, recent)
}
