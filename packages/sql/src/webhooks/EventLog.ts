/**
 * Writes an event in the transaction of its change, with a delivery for each subscribed webhook. Reads events backward
 * (newest first) in the order of their ids, or forward in the order of their commits.
 */
import { toIso } from "@partner-commentary/core/shared/Instant"
import * as LogContext from "@partner-commentary/core/shared/LogContext"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import {
  extractEventTime,
  makeLowestEventId,
  type NewEvent,
  payloadMetadataPrefix
} from "@partner-commentary/core/webhook/Event"
import { EventLog, type EventLogQuery, type StoredEvent } from "@partner-commentary/core/webhook/EventLog"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { forKeyShare, limitClause, makeListContainsCondition } from "../database/Clauses.ts"
import { DirectReads, makePreparedRead } from "../database/DirectReads.ts"

/** Creates the trace span of the event around the effect that writes the event. */
export const traceEvent = <A, E, R>(writing: Effect.Effect<A, E, R>, event: NewEvent, about: Assignment) =>
  LogContext.startSeparateTrace(writing, "event", event.id, {
    organizationId: about.organizationId,
    topicId: about.topicId,
    shareId: about.id
  })

/**
 * Returns the statements that write an event, and a delivery for each webhook that subscribes to the event's type. A
 * topic can restrict its events to some webhooks. One statement inserts all deliveries of the event.
 *
 * SQL inserts the topic's reference and metadata into the payload. The reference is inserted unescaped, because it
 * cannot contain a character that must be escaped in JSON.
 */
export const makeEventWrites = (
  sql: SqlClient.SqlClient,
  { at, head, id, tail, type }: NewEvent,
  { environment, id: shareId, organizationId, topicId }: Assignment
) => {
  const now = toIso(at)
  const event = sql`INSERT INTO events (id, organization_id, environment, type, share_id, created_at, payload)
    SELECT ${id}, ${organizationId}, ${environment}, ${type}, ${shareId}, ${now},
      ${head} || CASE WHEN external_reference IS NULL THEN 'null' ELSE '"' || external_reference || '"' END
        || ${payloadMetadataPrefix} || metadata || ${tail}
    FROM topics WHERE id = ${topicId}`
  const deliveries = sql`INSERT INTO deliveries (webhook_id, event_id, due_at)
    SELECT id, ${id}, ${now} FROM webhooks
    WHERE organization_id = ${organizationId} AND environment = ${environment} AND ${makeListContainsCondition(sql, "events", type)}
      AND COALESCE((SELECT webhook_ids FROM topics WHERE id = ${topicId}) LIKE '%' || webhooks.id || '%', TRUE)
    ORDER BY created_at, id ${forKeyShare(sql)}`
  return [event, deliveries]
}

interface Row extends StoredEvent {
  /** The number of events that were found, up to one more than the limit of the page. */
  readonly found: number
}

/**
 * A duration in milliseconds, longer than the longest transaction plus the largest difference between the clocks of two
 * processes.
 */
const margin = 10 * 60_000

/** The names of the values that the statement for a page needs. */
type Value = "organization" | "environment" | "type" | "since" | "behind" | "start" | "limit" | "oneMore" | "maxBytes"

interface Shape {
  readonly forward: boolean
  readonly hasType: boolean
  readonly isBehind: boolean
}

/**
 * The query reads one index range for each requested type, and merges the ranges. The query measures payloads before it
 * reads payloads, and reads only payloads that fit the page.
 */
export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const direct = yield* DirectReads

    const ofTypes = (select: (type: string) => Fragment) => {
      const [first, ...others] = EventType.literals
      return others.reduce((before, one) => sql`${before} UNION ALL ${select(one)}`, select(first))
    }

    /** Selects the events of one type for a page. A forward page follows the order of the commit positions. */
    const few = ({ forward, isBehind }: Shape, value: (name: Value) => string, type: string) => {
      const own = sql`organization_id = ${value("organization")} AND environment = ${value("environment")}
        AND type = ${type}`
      const ids = forward
        ? sql`SELECT event_id AS id, position AS place FROM event_positions
            WHERE ${own} AND position > CAST(${value("start")} AS BIGINT) AND event_id >= ${value("since")}`
        : sql`SELECT id, id AS place FROM events
            WHERE ${own} AND id >= ${value("since")} ${isBehind ? sql`AND id < ${value("behind")}` : sql.literal("")}`
      const order = sql.literal(forward ? "place" : "place DESC")
      // SQLite merges events of several types in index order. Without a limit for each type, Postgres would read and
      // sort all events of the type.
      return sql.onDialectOrElse({
        pg: () => sql`SELECT id, place FROM (${ids} ORDER BY ${order} ${limitClause(sql, value("oneMore"))}) AS few`,
        orElse: () => ids
      })
    }

    const pageRead = (shape: Shape) =>
      makePreparedRead<Row, Value>(sql, direct, (value) => {
        const ids = shape.hasType ? few(shape, value, value("type")) : ofTypes((type) => few(shape, value, type))
        const order = sql.literal(shape.forward ? "place" : "place DESC")
        const measured = sql`SELECT e.id, few.place, OCTET_LENGTH(e.payload) AS bytes
          FROM (SELECT few.id, few.place FROM (${ids}) AS few ORDER BY ${order} ${limitClause(sql, value("oneMore"))}) AS few
          JOIN events e ON e.id = few.id`
        const sums = sql`SELECT id, place, bytes, ROW_NUMBER() OVER ordered AS number, SUM(bytes) OVER ordered AS reached,
            CAST(COUNT(*) OVER () AS INTEGER) AS found
          FROM (${measured}) AS measured WINDOW ordered AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`
        return sql`SELECT e.id, e.type, e.payload, few.bytes, few.found FROM (${sums}) AS few JOIN events e ON e.id = few.id
          WHERE few.number <= ${value("limit")} AND (few.reached <= ${value("maxBytes")} OR few.number = 1)
          ORDER BY few.${order}`
      })

    const reads = new Map<string, ReturnType<typeof pageRead>>()
    const readOf = (shape: Shape) => {
      const key = Object.values(shape).join()
      const read = reads.get(key) ?? pageRead(shape)
      reads.set(key, read)
      return read
    }

    const read = ({ behind, forward, limit, maxBytes, owner, since, type }: EventLogQuery, start: string) =>
      Effect.map(
        readOf({ forward, hasType: type !== null, isBehind: behind !== null })({
          organization: owner.organizationId,
          environment: owner.environment,
          type: type ?? "",
          since: makeLowestEventId(since),
          behind: behind ?? "",
          start,
          limit,
          oneMore: limit + 1,
          maxBytes
        }),
        (events) => ({ events, more: events.length < (events[0]?.found ?? 0) })
      )

    /**
     * Returns the position at which a forward page starts. If the page starts at a time, the position is earlier than
     * that time by `margin`, because event ids follow the clocks of processes.
     */
    const startAt = Effect.fnUntraced(function* ({ behind, owner, since }: EventLogQuery) {
      const isOwn = sql`organization_id = ${owner.organizationId} AND environment = ${owner.environment}`
      if (behind !== null && extractEventTime(behind) >= since) {
        const [known] = yield* sql<{
          readonly position: string
        }>`SELECT CAST(position AS TEXT) AS position FROM event_positions WHERE event_id = ${behind} AND ${isOwn}`
        if (known !== undefined) return { since, start: known.position }
      }
      const from = behind === null ? since : Math.max(since, extractEventTime(behind))
      const last = ofTypes(
        (type) =>
          sql`SELECT MAX(id) AS id FROM events
            WHERE ${isOwn} AND type = ${type} AND id < ${makeLowestEventId(Math.max(0, from - margin))}`
      )
      const [earlier] = yield* sql<{
        readonly position: string
      }>`SELECT CAST(position AS TEXT) AS position FROM event_positions
        WHERE event_id = (SELECT MAX(lasts.id) FROM (${last}) AS lasts)`
      return { since: from, start: earlier?.position ?? "0" }
    })

    return EventLog.of({
      page: (list) =>
        Effect.orDie(
          list.forward
            ? Effect.flatMap(startAt(list), ({ since, start }) => read({ ...list, since }, start))
            : read(list, "0")
        )
    })
  })
)
