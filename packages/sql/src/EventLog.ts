/** Reads events by their ids, whose order is theirs: a page of each type that is asked for, by an index alone, and of these the newest. */
import type { EventId } from "@partner-commentary/core/shared/Ids"
import { firstIdAt } from "@partner-commentary/core/webhook/Event"
import { EventLog } from "@partner-commentary/core/webhook/EventLog"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

export const layer = Layer.effect(
  EventLog,
  Effect.map(SqlClient.SqlClient, (sql) =>
    EventLog.of({
      page: ({ behind, limit, owner, since, type }) => {
        const newest = (one: EventType) => sql`SELECT id FROM (SELECT id FROM events
          WHERE organization_id = ${owner.organizationId} AND environment = ${owner.environment} AND type = ${one}
            AND id >= ${firstIdAt(since)} ${behind === null ? sql.literal("") : sql`AND id < ${behind}`}
          ORDER BY id DESC LIMIT ${limit}) AS few`
        const [first, ...others] = EventType.literals
        const ids =
          type === null
            ? others.reduce((before, one) => sql`${before} UNION ALL ${newest(one)}`, newest(first))
            : newest(type)
        return Effect.orDie(
          sql<{ readonly id: EventId; readonly payload: string }>`SELECT id, payload FROM events
            WHERE id IN (SELECT few.id FROM (${ids}) AS few ORDER BY few.id DESC LIMIT ${limit}) ORDER BY id DESC`
        )
      }
    })
  )
)
