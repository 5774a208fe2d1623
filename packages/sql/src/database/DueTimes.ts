/** Finds rows whose due time no delay explains, as SQL: `core/shared/DueTimes` says which moments are possible. */
import { type LatestDue, tolerance } from "@partner-commentary/core/shared/DueTimes"
import { toIso } from "@partner-commentary/core/shared/Instant"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export interface Columns {
  readonly due: Fragment
  /** Whether somebody has taken the row. */
  readonly isLeased: Fragment
  readonly attempts: Fragment
}

/** The first comparison is the index's. */
export const isTooLate = (
  sql: SqlClient,
  { attempts, due, isLeased }: Columns,
  { leased, now, waiting }: LatestDue
) => {
  const [first, ...further] = waiting.map((at) => toIso(at + tolerance))
  const cases = further.reduce((before, at, index) => {
    const isLast = index === further.length - 1
    return isLast ? sql`${before} ELSE ${at}` : sql`${before} WHEN ${attempts} <= ${index + 1} THEN ${at}`
  }, sql`WHEN ${attempts} <= 0 THEN ${first}`)
  return sql`${due} > ${toIso(now + tolerance)} AND ${due} > CASE WHEN ${isLeased} THEN ${toIso(leased + tolerance)} ${cases} END`
}
