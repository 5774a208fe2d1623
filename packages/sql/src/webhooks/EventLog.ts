/**
 * Reads events in the order of their ids, or forward in the order of their commits. It reads a page of each requested
 * type from an index, and merges these pages. The query measures payloads before it reads them, and reads only as many
 * as fit into the page.
 */
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { firstIdAt, timeOfEvent } from "@partner-commentary/core/webhook/Event"
import { type EventList, EventLog, type PastEvent } from "@partner-commentary/core/webhook/EventLog"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { limitTo } from "../database/Limit.ts"

interface Row extends PastEvent {
  /** The size of the page, and the size of the next event. */
  readonly found: number
}

/** More than the longest transaction plus the largest difference between clocks, in milliseconds. */
const margin = 10 * 60_000

export const layer = Layer.effect(
  EventLog,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const of = ({ environment, organizationId }: Owner, type: EventType) =>
      sql`organization_id = ${organizationId} AND environment = ${environment} AND type = ${type}`

    const ofTypes = (type: EventType | null, select: (one: EventType) => Fragment) => {
      const [first, ...others] = EventType.literals
      return type === null
        ? others.reduce((before, one) => sql`${before} UNION ALL ${select(one)}`, select(first))
        : select(type)
    }

    const backward = ({ behind, limit, owner, since, type }: EventList) =>
      ofTypes(
        type,
        (one) => sql`SELECT id, place FROM (SELECT id, id AS place FROM events
          WHERE ${of(owner, one)} AND id >= ${firstIdAt(since)}
            ${behind === null ? sql.literal("") : sql`AND id < ${behind}`}
          ORDER BY id DESC ${limitTo(sql, limit + 1)}) AS few`
      )

    const forward = ({ limit, owner, since, type }: EventList, start: string) =>
      ofTypes(
        type,
        (one) => sql`SELECT id, place FROM (SELECT event_id AS id, position AS place FROM event_positions
          WHERE ${of(owner, one)} AND position > CAST(${start} AS BIGINT) AND event_id >= ${firstIdAt(since)}
          ORDER BY position ${limitTo(sql, limit + 1)}) AS few`
      )

    /**
     * To read forward from a time on, subtract this margin from the first position, because ids follow the clocks of
     * processes.
     */
    const startAt = Effect.fnUntraced(function* ({ behind, owner, since }: EventList) {
      if (behind !== null && timeOfEvent(behind) >= since) {
        const [known] = yield* sql<{
          readonly position: string
        }>`SELECT CAST(position AS TEXT) AS position FROM event_positions
          WHERE event_id = ${behind} AND organization_id = ${owner.organizationId} AND environment = ${owner.environment}`
        if (known !== undefined) return { since, start: known.position }
      }
      const from = behind === null ? since : Math.max(since, timeOfEvent(behind))
      const last = ofTypes(
        null,
        (one) =>
          sql`SELECT MAX(id) AS id FROM events WHERE ${of(owner, one)} AND id < ${firstIdAt(Math.max(0, from - margin))}`
      )
      const [earlier] = yield* sql<{
        readonly position: string
      }>`SELECT CAST(position AS TEXT) AS position FROM event_positions
        WHERE event_id = (SELECT MAX(lasts.id) FROM (${last}) AS lasts)`
      return { since: from, start: earlier?.position ?? "0" }
    })

    const read = ({ forward, limit, maxBytes }: EventList, ids: Fragment) => {
      const order = sql.literal(forward ? "place" : "place DESC")
      const measured = sql`SELECT e.id, few.place, OCTET_LENGTH(e.payload) AS bytes
        FROM (SELECT few.id, few.place FROM (${ids}) AS few ORDER BY ${order} ${limitTo(sql, limit + 1)}) AS few
        JOIN events e ON e.id = few.id`
      const sums = sql`SELECT id, place, bytes, ROW_NUMBER() OVER ordered AS number, SUM(bytes) OVER ordered AS reached,
          CAST(COUNT(*) OVER () AS INTEGER) AS found
        FROM (${measured}) AS measured WINDOW ordered AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`
      const rows = sql<Row>`SELECT e.id, e.type, e.payload, few.bytes, few.found FROM (${sums}) AS few JOIN events e ON e.id = few.id
          WHERE few.number <= ${limit} AND (few.reached <= ${maxBytes} OR few.number = 1) ORDER BY few.${order}`
      return Effect.map(rows, (events) => ({ events, more: events.length < (events[0]?.found ?? 0) }))
    }

    return EventLog.of({
      page: (list) =>
        Effect.orDie(
          list.forward
            ? Effect.flatMap(startAt(list), ({ since, start }) => read(list, forward({ ...list, since }, start)))
            : read(list, backward(list))
        )
    })
  })
)
