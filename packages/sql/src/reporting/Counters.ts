/**
 * Counters that each change updates, so that no request needs to count rows: an organization's topics by status, and
 * its daily metrics by persona. TopicTotals and DailyMetrics define the names of the counters.
 */
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../database/Values.ts"

export interface CounterIncrement {
  /** The day, such as `2026-01-30`; empty for topic totals. */
  readonly day: string
  /** The persona's id; empty for topic totals. */
  readonly persona_id: string
  readonly name: string
  readonly total: number
  /** The persona's latest name; null keeps the stored one. */
  readonly persona_name: string | null
}

interface CounterRow extends CounterIncrement {
  readonly organization_id: Owner["organizationId"]
  readonly environment: Owner["environment"]
}

export const counterRows = (
  { environment, organizationId: organization_id }: Owner,
  increments: ReadonlyArray<CounterIncrement>
): ReadonlyArray<CounterRow> => increments.map((increment) => ({ organization_id, environment, ...increment }))

/** Adds the increments of the same counter. */
export const sumByCounter = (rows: ReadonlyArray<CounterRow>): ReadonlyArray<CounterRow> => {
  const sums = new Map<string, CounterRow>()
  for (const row of rows) {
    const key = keyOf(row)
    sums.set(key, { ...row, total: row.total + (sums.get(key)?.total ?? 0) })
  }
  return [...sums.values()]
}

/**
 * There must be at least one row, and one for each counter. The rows stay locked until the commit, so they are written
 * in a fixed order to avoid deadlocks.
 */
export const addToCounters = (sql: SqlClient.SqlClient, rows: ReadonlyArray<CounterRow>) =>
  sql`INSERT INTO counters AS counter ${rowsOf(sql, "counters", rows.toSorted(byKey))} ${onConflictAdd(sql)}`

/** For an INSERT into the counters with the alias `counter`. */
export const onConflictAdd = (sql: SqlClient.SqlClient) =>
  sql.literal(`ON CONFLICT (organization_id, environment, day, persona_id, name) DO UPDATE SET
    total = counter.total + excluded.total, persona_name = COALESCE(excluded.persona_name, counter.persona_name)`)

const byKey = (one: CounterRow, other: CounterRow): number => {
  const [first, second] = [keyOf(one), keyOf(other)]
  return first < second ? -1 : first > second ? 1 : 0
}

const keyOf = ({ day, environment, name, organization_id, persona_id }: CounterRow): string =>
  `${organization_id} ${environment} ${day} ${persona_id} ${name}`
