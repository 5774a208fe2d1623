/** Reads events by their ids, whose order is theirs. */
import type { EventId } from "@partner-commentary/core/shared/Ids"
import { firstIdAt } from "@partner-commentary/core/webhook/Event"
import { EventLog } from "@partner-commentary/core/webhook/EventLog"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

export const layer = Layer.effect(
  EventLog,
  Effect.map(SqlClient.SqlClient, (sql) =>
    EventLog.of({
      page: ({ behind, limit, owner, since, type }) =>
        Effect.orDie(
          sql<{ readonly id: EventId; readonly payload: string }>`SELECT id, payload FROM events
            WHERE organization_id = ${owner.organizationId} AND environment = ${owner.environment}
              AND id >= ${firstIdAt(since)}
              ${behind === null ? sql.literal("") : sql`AND id < ${behind}`}
              ${type === null ? sql.literal("") : sql`AND type = ${type}`}
            ORDER BY id DESC LIMIT ${limit}`
        )
    })
  )
)
