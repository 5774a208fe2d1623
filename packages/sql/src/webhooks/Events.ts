/**
 * Writes an event in the transaction of its change, and a delivery for each webhook that subscribes to its type, with
 * one statement each.
 */
import { toIso } from "@partner-commentary/core/shared/Instant"
import * as Subject from "@partner-commentary/core/shared/Subject"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { type NewEvent, payloadSeparator } from "@partner-commentary/core/webhook/Event"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { forKeyShare } from "../database/Lock.ts"

/** SQL adds the topic's part of the payload. References contain no character that JSON would escape. */
export const announce = (sql: SqlClient, event: NewEvent, about: Assignment) =>
  Subject.startOwnTrace(write(sql, event, about), "event", event.id, {
    organizationId: about.organizationId,
    topicId: about.topicId,
    shareId: about.id
  })

const write = Effect.fnUntraced(function* (
  sql: SqlClient,
  { at, head, id, tail, type }: NewEvent,
  { environment, id: shareId, organizationId, topicId }: Assignment
) {
  const now = toIso(at)
  yield* sql`INSERT INTO events (id, organization_id, environment, type, share_id, created_at, payload)
    SELECT ${id}, ${organizationId}, ${environment}, ${type}, ${shareId}, ${now},
      ${head} || CASE WHEN external_reference IS NULL THEN 'null' ELSE '"' || external_reference || '"' END
        || ${payloadSeparator} || metadata || ${tail}
    FROM topics WHERE id = ${topicId}`
  yield* sql`INSERT INTO deliveries (webhook_id, event_id, due_at)
    SELECT id, ${id}, ${now} FROM webhooks
    WHERE organization_id = ${organizationId} AND environment = ${environment} AND events LIKE ${`%"${type}"%`}
    ORDER BY created_at, id ${forKeyShare(sql)}`
})
