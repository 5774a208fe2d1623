/**
 * Writes an event in the transaction of its change, and a delivery for each webhook that subscribes to the event's
 * type. A topic can restrict its events to some webhooks. One statement inserts all deliveries of the event.
 */
import { toIso } from "@partner-commentary/core/shared/Instant"
import * as LogContext from "@partner-commentary/core/shared/LogContext"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { type NewEvent, payloadMetadataPrefix } from "@partner-commentary/core/webhook/Event"
import type * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { forKeyShare } from "../database/Lock.ts"
import { makeListContainsCondition } from "../database/StoredList.ts"

/** Creates the trace span of the event around the effect that writes the event. */
export const traceEvent = <A, E, R>(writing: Effect.Effect<A, E, R>, event: NewEvent, about: Assignment) =>
  LogContext.startSeparateTrace(writing, "event", event.id, {
    organizationId: about.organizationId,
    topicId: about.topicId,
    shareId: about.id
  })

/**
 * SQL inserts the topic's reference and metadata into the payload. The reference is inserted unescaped, because it
 * cannot contain a character that must be escaped in JSON.
 */
export const makeEventWrites = (
  sql: SqlClient,
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
