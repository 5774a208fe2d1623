/** How many topics of an organization stand where: kept with every change, so that lists need not count. */
import { type TopicStatus, TopicStatus as TopicStatusSchema } from "@partner-commentary/core/topic/TopicStatus"
import type { Owner } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { values } from "./Values.ts"

/** Adds to the totals, whose rows stay locked until the transaction ends: always in the same order. */
export const add = (sql: SqlClient.SqlClient, owner: Owner, more: Partial<Record<TopicStatus, number>>) => {
  const rows = TopicStatusSchema.literals.flatMap((status) => {
    const total = more[status]
    return total === undefined
      ? []
      : [{ organization_id: owner.organizationId, environment: owner.environment, status, total }]
  })
  return sql`INSERT INTO topic_totals AS kept ${values(sql, rows)}
    ON CONFLICT (organization_id, environment, status) DO UPDATE SET total = kept.total + excluded.total`
}

export const total = (sql: SqlClient.SqlClient, owner: Owner, status: TopicStatus | null) =>
  Effect.map(
    sql<{ readonly total: number }>`SELECT CAST(COALESCE(SUM(total), 0) AS INTEGER) AS total FROM topic_totals
      WHERE organization_id = ${owner.organizationId} AND environment = ${owner.environment}
      ${status === null ? sql.literal("") : sql`AND status = ${status}`}`,
    ([row]) => row?.total ?? 0
  )
