/**
 * Reads events in the order of their ids: a page of each requested type by an index alone, then the newest of these.
 * Payloads are measured before they are read, and read as far as the page has room.
 */
import type { EventId } from "@partner-commentary/core/shared/Ids"
import { firstIdAt } from "@partner-commentary/core/webhook/Event"
import { EventLog } from "@partner-commentary/core/webhook/EventLog"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { limitTo } from "../database/Limit.ts"

interface Row {
  readonly id: EventId
  readonly payload: string
  readonly bytes: number
  /** Size of the page and the next event. */
  readonly found: number
}

export const layer = Layer.effect(
  EventLog,
  Effect.map(SqlClient.SqlClient, (sql) =>
    EventLog.of({
      page: ({ behind, limit, maxBytes, owner, since, type }) => {
        const newest = (one: EventType) => sql`SELECT id FROM (SELECT id FROM events
          WHERE organization_id = ${owner.organizationId} AND environment = ${owner.environment} AND type = ${one}
            AND id >= ${firstIdAt(since)} ${behind === null ? sql.literal("") : sql`AND id < ${behind}`}
          ORDER BY id DESC ${limitTo(sql, limit + 1)}) AS few`
        const [first, ...others] = EventType.literals
        const ids =
          type === null
            ? others.reduce((before, one) => sql`${before} UNION ALL ${newest(one)}`, newest(first))
            : newest(type)
        const measured = sql`SELECT id, OCTET_LENGTH(payload) AS bytes FROM events
          WHERE id IN (SELECT few.id FROM (${ids}) AS few ORDER BY few.id DESC ${limitTo(sql, limit + 1)})`
        const sums = sql`SELECT id, bytes, ROW_NUMBER() OVER newest AS place, SUM(bytes) OVER newest AS reached,
            CAST(COUNT(*) OVER () AS INTEGER) AS found
          FROM (${measured}) AS measured WINDOW newest AS (ORDER BY id DESC ROWS UNBOUNDED PRECEDING)`
        const rows = sql<Row>`SELECT e.id, e.payload, few.bytes, few.found FROM (${sums}) AS few JOIN events e ON e.id = few.id
          WHERE few.place <= ${limit} AND (few.reached <= ${maxBytes} OR few.place = 1) ORDER BY few.id DESC`
        return Effect.orDie(Effect.map(rows, (events) => ({ events, more: events.length < (events[0]?.found ?? 0) })))
      }
    })
  )
)
