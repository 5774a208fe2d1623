/**
 * Counts topics and outcomes with each change, so that no request needs to count rows. The counters contain topics by
 * status, and daily metrics by persona. DailyMetrics defines the names of the daily counters.
 */
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { insertRowsClause } from "../database/Clauses.ts"
import { type DirectRead, readBySqlStatement } from "../database/DirectReads.ts"

export interface CounterIncrement {
  /** The day of the metric, such as `2026-01-30`. Topic totals have an empty day. */
  readonly day: string
  /** The id of the persona. Topic totals have an empty persona id. */
  readonly persona_id: string
  readonly name: string
  readonly total: number
  /** The latest name of the persona. If `persona_name` is null, the stored name does not change. */
  readonly persona_name: string | null
}

interface CounterRow extends CounterIncrement {
  readonly organization_id: Owner["organizationId"]
  readonly environment: Owner["environment"]
}

export const makeCounterRows = (
  { environment, organizationId: organization_id }: Owner,
  increments: ReadonlyArray<CounterIncrement>
): ReadonlyArray<CounterRow> => increments.map((increment) => ({ organization_id, environment, ...increment }))

/** Adds up the increments of each counter, so that the result has one row for each counter. */
export const sumByCounter = (rows: ReadonlyArray<CounterRow>): ReadonlyArray<CounterRow> => {
  const sums = new Map<string, CounterRow>()
  for (const row of rows) {
    const key = keyOf(row)
    sums.set(key, { ...row, total: row.total + (sums.get(key)?.total ?? 0) })
  }
  return [...sums.values()]
}

/**
 * Adds the increments in `rows` to the counters. The caller must pass at least one row, and at most one row for each
 * counter. The rows stay locked until the commit, so the statement sorts the rows to avoid deadlocks.
 */
export const addToCounters = (sql: SqlClient.SqlClient, rows: ReadonlyArray<CounterRow>) =>
  sql`INSERT INTO counters AS counter ${insertRowsClause(sql, "counters", rows.toSorted(byKey))} ${makeOnConflictAddClause(sql)}`

/** Returns the ON CONFLICT clause for an INSERT that gives the counters table the alias `counter`. */
export const makeOnConflictAddClause = (sql: SqlClient.SqlClient) =>
  sql.literal(`ON CONFLICT (organization_id, environment, day, persona_id, name) DO UPDATE SET
    total = counter.total + excluded.total, persona_name = COALESCE(excluded.persona_name, counter.persona_name)`)

const byKey = (one: CounterRow, other: CounterRow): number => {
  const [first, second] = [keyOf(one), keyOf(other)]
  return first < second ? -1 : first > second ? 1 : 0
}

const keyOf = ({ day, environment, name, organization_id, persona_id }: CounterRow): string =>
  `${organization_id} ${environment} ${day} ${persona_id} ${name}`

/** Returns the increment of the counter of topics with the status. */
export const makeTopicTotalIncrement = (status: TopicStatus, total: number): CounterIncrement => ({
  day: "",
  persona_id: "",
  name: status,
  total,
  persona_name: null
})

/** Returns the number of topics with one of the statuses. Without statuses, counts all topics of the owner. */
export const readTopicTotal = (
  sql: SqlClient.SqlClient,
  direct: DirectRead,
  owner: Owner,
  statuses: ReadonlyArray<TopicStatus>
) =>
  Effect.map(
    readBySqlStatement(
      sql,
      direct,
      sql<{ readonly total: number }>`SELECT CAST(COALESCE(SUM(total), 0) AS INTEGER) AS total FROM counters
        WHERE organization_id = ${owner.organizationId} AND environment = ${owner.environment}
          AND day = '' AND persona_id = ''
          ${statuses.length === 0 ? sql.literal("") : sql`AND ${sql.in("name", statuses)}`}`
    ),
    ([row]) => row?.total ?? 0
  )
