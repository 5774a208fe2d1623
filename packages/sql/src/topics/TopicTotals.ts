/** Counts an organization's topics by status. Each change updates the counters, so that lists need not count rows. */
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { type DirectRead, readBySqlStatement } from "../database/DirectReads.ts"
import type { CounterIncrement } from "../reporting/Counters.ts"

export const makeTotalIncrement = (status: TopicStatus, total: number): CounterIncrement => ({
  day: "",
  persona_id: "",
  name: status,
  total,
  persona_name: null
})

export const readTotal = (
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
