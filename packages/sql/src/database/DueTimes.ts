/**
 * Returns a condition for rows whose due time is later than any delay allows. `core/shared/DueTimes` defines the latest
 * times.
 */
import { clockToleranceMillis, type LatestDue } from "@partner-commentary/core/shared/DueTimes"
import { toIso } from "@partner-commentary/core/shared/Instant"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export interface DueTimeColumns {
  readonly due: Fragment
  /** The column that is set while a worker holds the row's lease. */
  readonly isLeased: Fragment
  readonly attempts: Fragment
}

/** The first comparison lets the database use the index. */
export const isDueTooLate = (
  sql: SqlClient,
  { attempts, due, isLeased }: DueTimeColumns,
  { leased, now, waiting }: LatestDue
) => {
  const [first, ...further] = waiting.map((at) => toIso(at + clockToleranceMillis))
  const cases = further.reduce((before, at, index) => {
    const isLast = index === further.length - 1
    return isLast ? sql`${before} ELSE ${at}` : sql`${before} WHEN ${attempts} <= ${index + 1} THEN ${at}`
  }, sql`WHEN ${attempts} <= 0 THEN ${first}`)
  return sql`${due} > ${toIso(now + clockToleranceMillis)} AND ${due} > CASE WHEN ${isLeased} THEN ${toIso(leased + clockToleranceMillis)} ${cases} END`
}
