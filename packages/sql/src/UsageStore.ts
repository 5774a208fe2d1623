/** What a month has seen, and the one statement by which it sees more. */

import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import type { PeriodName } from "@partner-commentary/core/usage/BillingPeriod"
import { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

interface UsageRow {
  readonly topics_created: number
  readonly units_held: number
  readonly commentaries_generated: number
}

export const layer = Layer.effect(
  UsageStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return UsageStore.of({
      ofMonth: (organizationId, period) =>
        Effect.orDie(
          Effect.map(
            sql<UsageRow>`SELECT topics_created, units_held, commentaries_generated FROM usage_months
              WHERE organization_id = ${organizationId} AND period = ${period}`,
            ([row]) => ({
              topics: row?.topics_created ?? 0,
              commentaryUnits: row?.units_held ?? 0,
              commentariesGenerated: row?.commentaries_generated ?? 0
            })
          )
        )
    })
  })
)

/** Adds to a month and answers with what it has seen then. Its row stays locked until the transaction ends. */
export const count = (
  sql: SqlClient.SqlClient,
  organizationId: OrganizationId,
  period: PeriodName,
  more: { readonly topics?: number; readonly units?: number; readonly generated?: number }
) =>
  Effect.map(
    sql<UsageRow>`INSERT INTO usage_months AS seen
        (organization_id, period, topics_created, units_held, commentaries_generated)
      VALUES (${organizationId}, ${period}, ${more.topics ?? 0}, ${more.units ?? 0}, ${more.generated ?? 0})
      ON CONFLICT (organization_id, period) DO UPDATE SET
        topics_created = seen.topics_created + excluded.topics_created,
        units_held = seen.units_held + excluded.units_held,
        commentaries_generated = seen.commentaries_generated + excluded.commentaries_generated
      RETURNING topics_created, units_held, commentaries_generated`,
    (rows) => rows[0] as UsageRow
  )
