/**
 * Counters that each change updates, so that no request needs to count rows: an organization's topics by status, and
 * its daily metrics by persona. TopicTotals and DailyMetrics define the names of the counters.
 */
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type * as SqlClient from "effect/sql/SqlClient"
import { values } from "../database/Values.ts"

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

/**
 * There must be at least one increment. The rows stay locked until the commit, so they are written in a fixed order to
 * avoid deadlocks.
 */
export const addToCounters = (
  sql: SqlClient.SqlClient,
  { environment, organizationId: organization_id }: Owner,
  increments: ReadonlyArray<CounterIncrement>
) =>
  sql`INSERT INTO counters AS counter ${values(
    sql,
    increments.toSorted(byKey).map((increment) => ({ organization_id, environment, ...increment }))
  )} ${onConflictAdd(sql)}`

/** For an INSERT into the counters with the alias `counter`. */
export const onConflictAdd = (sql: SqlClient.SqlClient) =>
  sql.literal(`ON CONFLICT (organization_id, environment, day, persona_id, name) DO UPDATE SET
    total = counter.total + excluded.total, persona_name = COALESCE(excluded.persona_name, counter.persona_name)`)

const byKey = (one: CounterIncrement, other: CounterIncrement): number => {
  const [first, second] = [keyOf(one), keyOf(other)]
  return first < second ? -1 : first > second ? 1 : 0
}

const keyOf = ({ day, name, persona_id }: CounterIncrement): string => `${day} ${persona_id} ${name}`
