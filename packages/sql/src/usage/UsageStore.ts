/** Stores the monthly usage of organizations. */
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { BillingPeriodName } from "@partner-commentary/core/usage/BillingPeriod"
import { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { insertRowsClause } from "../database/Clauses.ts"

interface UsageRow {
  readonly topics_created: number
  readonly units_held: number
  readonly commentaries_generated: number
  readonly api_calls: number
}

export const layer = Layer.effect(
  UsageStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return UsageStore.of({
      ofMonth: ({ environment, organizationId }, period) =>
        Effect.orDie(
          Effect.map(
            sql<UsageRow>`SELECT topics_created, units_held, commentaries_generated, api_calls FROM usage_months
              WHERE organization_id = ${organizationId} AND environment = ${environment} AND period = ${period}`,
            ([row]) => ({
              topics: row?.topics_created ?? 0,
              commentaryUnits: row?.units_held ?? 0,
              commentariesGenerated: row?.commentaries_generated ?? 0,
              apiCalls: row?.api_calls ?? 0
            })
          )
        ),

      addCalls: ({ calls, owner, period }) =>
        Effect.asVoid(Effect.orDie(addUsageIncrement(sql, { owner, period, calls })))
    })
  })
)

/** Adds usage to a month, and returns the new usage of the month. The row stays locked until the transaction ends. */
export const addAndReadUsage = (...args: Parameters<typeof addUsageIncrement>) =>
  Effect.map(
    args[0]<UsageRow>`${addUsageIncrement(...args)} RETURNING topics_created, units_held, commentaries_generated, api_calls`,
    (rows) => rows[0] as UsageRow
  )

export interface UsageIncrement {
  readonly owner: Owner
  readonly period: BillingPeriodName
  readonly topics?: number
  readonly units?: number
  readonly generated?: number
  readonly calls?: number
}

export const addUsageIncrement = (sql: SqlClient.SqlClient, increment: UsageIncrement) =>
  addUsageIncrements(sql, [increment])

/**
 * Adds several increments. The caller must pass at least one increment. The rows stay locked until the commit, so the
 * statement sorts the rows to avoid deadlocks.
 */
export const addUsageIncrements = (sql: SqlClient.SqlClient, increments: ReadonlyArray<UsageIncrement>) =>
  sql`INSERT INTO usage_months AS seen ${insertRowsClause(sql, "usage_months", sumByMonth(increments))}
      ON CONFLICT (organization_id, environment, period) DO UPDATE SET
        topics_created = seen.topics_created + excluded.topics_created,
        units_held = seen.units_held + excluded.units_held,
        commentaries_generated = seen.commentaries_generated + excluded.commentaries_generated,
        api_calls = seen.api_calls + excluded.api_calls`

const sumByMonth = (increments: ReadonlyArray<UsageIncrement>) => {
  const months = new Map<
    string,
    UsageRow & { organization_id: Owner["organizationId"]; environment: string; period: string }
  >()
  for (const { calls = 0, generated = 0, owner, period, topics = 0, units = 0 } of increments) {
    const { environment, organizationId: organization_id } = owner
    const key = `${organization_id} ${environment} ${period}`
    const sum = months.get(key)
    months.set(key, {
      ...{ organization_id, environment, period },
      topics_created: (sum?.topics_created ?? 0) + topics,
      units_held: (sum?.units_held ?? 0) + units,
      commentaries_generated: (sum?.commentaries_generated ?? 0) + generated,
      api_calls: (sum?.api_calls ?? 0) + calls
    })
  }
  return [...months].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}
