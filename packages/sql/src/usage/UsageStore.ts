/** Stores an organization's usage by month. */
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { PeriodName } from "@partner-commentary/core/usage/BillingPeriod"
import { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

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

      addCalls: ({ calls, owner, period }) => Effect.asVoid(Effect.orDie(add(sql, owner, period, { calls })))
    })
  })
)

/** Adds to a month and returns its new usage. The row stays locked until the transaction ends. */
export const countUsage = (...args: Parameters<typeof add>) =>
  Effect.map(
    args[0]<UsageRow>`${add(...args)} RETURNING topics_created, units_held, commentaries_generated, api_calls`,
    (rows) => rows[0] as UsageRow
  )

export const add = (
  sql: SqlClient.SqlClient,
  { environment, organizationId }: Owner,
  period: PeriodName,
  more: { readonly topics?: number; readonly units?: number; readonly generated?: number; readonly calls?: number }
) =>
  sql`INSERT INTO usage_months AS seen
        (organization_id, environment, period, topics_created, units_held, commentaries_generated, api_calls)
      VALUES (${organizationId}, ${environment}, ${period}, ${more.topics ?? 0}, ${more.units ?? 0},
        ${more.generated ?? 0}, ${more.calls ?? 0})
      ON CONFLICT (organization_id, environment, period) DO UPDATE SET
        topics_created = seen.topics_created + excluded.topics_created,
        units_held = seen.units_held + excluded.units_held,
        commentaries_generated = seen.commentaries_generated + excluded.commentaries_generated,
        api_calls = seen.api_calls + excluded.api_calls`
