/**
 * Returns an SQL condition that selects rows whose due time is too far in the future. `core/shared/DueTimes` defines
 * the latest valid due times.
 */
import { clockToleranceMillis, type LatestPlausibleDueTimes } from "@partner-commentary/core/shared/DueTimes"
import { toIso } from "@partner-commentary/core/shared/Instant"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export interface DueTimeColumns {
  readonly due: Fragment
  /** The SQL condition that is true while a worker holds the lease of the row. */
  readonly isLeased: Fragment
  readonly attempts: Fragment
}

/** The first comparison in the SQL condition lets the database use the index on due times. */
export const makeDueTooLateCondition = (
  sql: SqlClient,
  { attempts, due, isLeased }: DueTimeColumns,
  { leased, now, waiting }: LatestPlausibleDueTimes
) => {
  const [first, ...further] = waiting.map((at) => toIso(at + clockToleranceMillis))
  const cases = further.reduce((before, at, index) => {
    const isLast = index === further.length - 1
    return isLast ? sql`${before} ELSE ${at}` : sql`${before} WHEN ${attempts} <= ${index + 1} THEN ${at}`
  }, sql`WHEN ${attempts} <= 0 THEN ${first}`)
  return sql`${due} > ${toIso(now + clockToleranceMillis)} AND ${due} > CASE WHEN ${isLeased} THEN ${toIso(leased + clockToleranceMillis)} ${cases} END`
}
