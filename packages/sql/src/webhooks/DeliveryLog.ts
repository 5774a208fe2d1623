/**
 * Reads deliveries in the order of their events. For each page, a second query reads the attempts of the deliveries.
 */
import type { EventId, ShareId, TopicId, WebhookId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { DeliveryAttemptFailure } from "@partner-commentary/core/webhook/Attempt"
import type { Delivery, RecordedDeliveryAttempt, StoredDeliveryState } from "@partner-commentary/core/webhook/Delivery"
import { DeliveryLog } from "@partner-commentary/core/webhook/DeliveryLog"
import type { DeliveryAttemptKind } from "@partner-commentary/core/webhook/DeliveryPlan"
import { extractEventTime, makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import type { StoredEventType } from "@partner-commentary/core/webhook/EventType"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { limitClause } from "../database/Clauses.ts"
import { fromIsoOrNull } from "../database/Columns.ts"
import { mapRowsInSteps } from "../database/Steps.ts"
import { type ReceiverRow, receiverFromRow } from "./WebhookRow.ts"

interface DeliveryRow {
  readonly webhook_id: WebhookId
  readonly event_id: EventId
  readonly state: StoredDeliveryState
  readonly due_at: string | null
  readonly is_leased: number
  readonly settled_at: string | null
  readonly type: StoredEventType
  readonly share_id: ShareId
  readonly topic_id: TopicId
  readonly created_at: string
  readonly made: number
  readonly payload: string | null
}

interface WaitingRow {
  readonly webhook_id: WebhookId
  readonly total: number
  readonly oldest: EventId
}

interface AttemptRow {
  readonly event_id: EventId
  readonly kind: DeliveryAttemptKind
  readonly started_at: string
  readonly duration: number
  readonly status: number | null
  readonly failure: DeliveryAttemptFailure | null
  readonly reason: string | null
  readonly excerpt: string | null
}

/**
 * The query searches a larger range of claim numbers than the limit, because claims that were released without an
 * attempt also use claim numbers. `slack` is the number of searched claim numbers divided by the limit.
 */
const slack = 2

export const layer = Layer.effect(
  DeliveryLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * The query restricts the event ids in the table of deliveries and in the table of attempts. If the query
     * restricted only one table, Postgres might read all attempts of the webhook.
     */
    const attemptsOf = (
      webhookId: WebhookId,
      ids: ReadonlyArray<EventId>,
      limit: number,
      excerpt: Fragment
    ) => sql<AttemptRow>`SELECT made.event_id, made.kind, made.started_at, made.duration, made.status, made.failure, made.reason, ${excerpt} AS excerpt
      FROM deliveries d JOIN delivery_attempts made
        ON made.webhook_id = d.webhook_id AND made.event_id = d.event_id AND made.claim_number > d.claim_number - CAST(${limit * slack} AS INTEGER)
      WHERE d.webhook_id = ${webhookId} AND ${sql.in("d.event_id", ids)}
        AND made.webhook_id = ${webhookId} AND ${sql.in("made.event_id", ids)}
      ORDER BY made.claim_number`

    /** Reads the webhook's deliveries that match the SQL condition `some`, newest first. */
    const read = Effect.fnUntraced(function* (
      webhookId: WebhookId,
      some: Fragment,
      limit: number,
      texts: { readonly excerpt: Fragment; readonly payload: Fragment },
      at: Instant.Instant
    ) {
      const rows = yield* sql<DeliveryRow>`SELECT few.webhook_id, few.event_id, few.state,
          few.due_at, few.is_leased, few.settled_at,
          e.type, e.share_id, e.created_at, a.topic_id, ${texts.payload} AS payload,
          (SELECT CAST(COUNT(*) AS INTEGER) FROM delivery_attempts
            WHERE webhook_id = few.webhook_id AND event_id = few.event_id) AS made
        FROM (SELECT * FROM deliveries WHERE webhook_id = ${webhookId} ${some}) few
        JOIN events e ON e.id = few.event_id JOIN assignments a ON a.id = e.share_id
        ORDER BY few.event_id DESC`
      if (rows.length === 0) return []
      const ids = rows.map(({ event_id }) => event_id)
      const made = Map.groupBy(yield* attemptsOf(webhookId, ids, limit, texts.excerpt), ({ event_id }) => event_id)
      return yield* mapRowsInSteps(rows, (row) => delivery(row, (made.get(row.event_id) ?? []).slice(-limit), at))
    })

    return DeliveryLog.of({
      receiver: (owner, id) =>
        Effect.orDie(
          Effect.map(
            sql<ReceiverRow>`SELECT * FROM webhooks WHERE id = ${id}
              AND organization_id = ${owner.organizationId} AND environment = ${owner.environment}`,
            ([row]) => Option.map(Option.fromUndefinedOr(row), receiverFromRow)
          )
        ),

      page: ({ behind, limit, since, state, webhookId }, attempts, at) =>
        Effect.orDie(
          read(
            webhookId,
            sql`${state === null ? sql.literal("") : sql`AND state = ${state}`}
              AND event_id >= ${makeLowestEventId(since)}
              ${behind === null ? sql.literal("") : sql`AND event_id < ${behind}`}
              ORDER BY event_id DESC ${limitClause(sql, limit)}`,
            attempts,
            { excerpt: sql.literal("NULL"), payload: sql.literal("NULL") },
            at
          )
        ),

      find: (webhookId, eventId, since, attempts, at) =>
        Effect.orDie(
          Effect.map(
            read(
              webhookId,
              sql`AND event_id = ${eventId} AND event_id >= ${makeLowestEventId(since)}`,
              attempts,
              { excerpt: sql.literal("made.excerpt"), payload: sql.literal("e.payload") },
              at
            ),
            ([found]) => Option.fromUndefinedOr(found)
          )
        ),

      receivers: (ids, limit) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.orDie(
              Effect.map(
                sql<ReceiverRow & { readonly pending: number }>`SELECT w.*, (
                    SELECT CAST(COUNT(*) AS INTEGER) FROM (
                      SELECT 1 FROM deliveries d WHERE d.webhook_id = w.id AND d.due_at IS NOT NULL ${limitClause(sql, limit)}
                    ) AS counted) AS pending
                  FROM webhooks w WHERE ${sql.in("w.id", ids)}`,
                (rows) => rows.map((row) => ({ receiver: receiverFromRow(row), pending: row.pending }))
              )
            ),

      waiting: (ids) =>
        ids.length === 0
          ? Effect.succeed(new Map())
          : Effect.orDie(
              Effect.map(
                sql<WaitingRow>`SELECT webhook_id, CAST(COUNT(*) AS INTEGER) AS total, MIN(event_id) AS oldest
                  FROM deliveries WHERE ${sql.in("webhook_id", ids)} AND state = 'pending' GROUP BY webhook_id`,
                (rows) =>
                  new Map(
                    rows.map((row) => [row.webhook_id, { count: row.total, since: extractEventTime(row.oldest) }])
                  )
              )
            )
    })
  })
)

const delivery = (row: DeliveryRow, made: ReadonlyArray<AttemptRow>, at: Instant.Instant): Delivery => {
  const dueAt = fromIsoOrNull(row.due_at)
  return {
    webhookId: row.webhook_id,
    eventId: row.event_id,
    type: row.type,
    topicId: row.topic_id,
    shareId: row.share_id,
    createdAt: Instant.fromIso(row.created_at),
    state: row.state,
    dueAt,
    inFlight: row.is_leased === 1 && dueAt !== null && dueAt > at,
    settledAt: fromIsoOrNull(row.settled_at),
    attemptCount: row.made,
    attempts: made.map(attempt),
    payload: row.payload
  }
}

const attempt = ({
  started_at,
  duration,
  excerpt,
  failure,
  kind,
  reason,
  status
}: AttemptRow): RecordedDeliveryAttempt => ({
  at: Instant.fromIso(started_at),
  duration,
  status,
  failure,
  reason,
  excerpt,
  kind
})
