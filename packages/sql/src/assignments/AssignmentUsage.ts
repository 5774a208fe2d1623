/** The usage of a month that a change of an assignment causes. */
import type * as Instant from "@partner-commentary/core/shared/Instant"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { billingPeriodOf } from "@partner-commentary/core/usage/BillingPeriod"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Usage from "../usage/UsageStore.ts"

/**
 * Returns a unit to the month of the topic, and counts a first draft in the month of the draft. Makes one write for
 * each month.
 */
export const writes = (sql: SqlClient, topicCreatedAt: Instant.Instant, before: Assignment, after: Assignment) => {
  const months = new Map<string, Parameters<typeof Usage.add>[3]>()
  const count = (moment: Instant.Instant, more: Parameters<typeof Usage.add>[3]) =>
    months.set(billingPeriodOf(moment), { ...months.get(billingPeriodOf(moment)), ...more })
  if (before.failure === null && after.failure !== null) count(topicCreatedAt, { units: -1 })
  if (before.draft === null && after.draft !== null) count(after.draft.createdAt, { generated: 1 })
  return Array.from(months, ([period, more]) => Usage.add(sql, after, period, more))
}
