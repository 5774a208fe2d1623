/**
 * Redelivers events: the store puts deliveries back into the queue, under the lock of their webhook. Each row stores a
 * recovery and its progress. A recovery redelivers the events of a period. Webhooks take turns, and the recoveries of
 * one webhook run oldest first. If a new recovery overlaps a recovery that has not started, the store extends the
 * existing recovery instead.
 */
import type { AuditEntry } from "@partner-commentary/core/shared/AuditLog"
import type { EventId, WebhookId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { ReceiverState } from "@partner-commentary/core/webhook/CircuitBreaker"
import { makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import {
  type EventPeriod,
  RedeliveryStore,
  type WebhookRecoveryJob
} from "@partner-commentary/core/webhook/RedeliveryStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { forUpdate, limitClause } from "../database/Clauses.ts"
import { fromIsoOrNull } from "../database/Columns.ts"
import { transact } from "../database/Transaction.ts"
import * as AuditLog from "../operations/AuditLog.ts"
import { type ReceiverRow, receiverFromRow, receiverToRow } from "./WebhookRow.ts"

interface QueuedRow {
  readonly due_at: string | null
  readonly is_leased: number
  readonly manual: number
  readonly resume_at: string | null
}

interface JobRow {
  readonly id: string
  readonly webhook_id: WebhookId
  readonly after_id: EventId
  readonly until_id: EventId
  readonly includes_pending: number
  readonly queued: number
}

export const layer = Layer.effect(
  RedeliveryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const locked = (id: WebhookId) =>
      Effect.map(sql<ReceiverRow>`SELECT * FROM webhooks WHERE id = ${id} ${forUpdate(sql)}`, ([row]) => row)

    const changed = (row: ReceiverRow, change: (receiver: ReceiverState) => ReceiverState) => {
      const before = receiverFromRow(row)
      const after = change(before)
      return after === before
        ? Effect.void
        : sql`UPDATE webhooks SET ${sql.update(receiverToRow(after))} WHERE id = ${after.webhook.id}`
    }

    const queue = Effect.fnUntraced(function* (...[named, at, decide, audit, begin]: Parameters<Queue>) {
      const { eventId, since, webhookId } = named
      const webhook = yield* locked(webhookId)
      if (webhook === undefined) return false
      const [row] = yield* sql<QueuedRow>`SELECT due_at, is_leased, manual, resume_at FROM deliveries
        WHERE webhook_id = ${webhookId} AND event_id = ${eventId} AND event_id >= ${makeLowestEventId(since)} ${forUpdate(sql)}`
      if (row === undefined) return false
      yield* changed(webhook, begin)
      const dueAt = fromIsoOrNull(row.due_at)
      const inFlight = row.is_leased === 1 && dueAt !== null && dueAt > at
      const next = decide({ dueAt, inFlight, manual: row.manual === 1, resumeAt: fromIsoOrNull(row.resume_at) })
      if (next === null) return true
      yield* sql`UPDATE deliveries SET state = 'pending', settled_at = NULL, is_leased = 0, manual = 1,
          due_at = ${Instant.toIsoOrNull(next.dueAt)}, resume_at = ${Instant.toIsoOrNull(next.resumeAt)}
        WHERE webhook_id = ${webhookId} AND event_id = ${eventId}`
      yield* AuditLog.appendEntry(sql, audit, at)
      return true
    })

    const within = ({ since, until }: EventPeriod) =>
      sql`event_id >= ${makeLowestEventId(since)} AND event_id < ${makeLowestEventId(until)}`

    const open = Effect.fnUntraced(function* (recovery: WebhookRecoveryJob, audit: AuditEntry) {
      const { askedAt, held, id, since, until, webhookId } = recovery
      const requestedAt = Instant.toIso(askedAt)
      // The webhook was deleted after the request was accepted.
      if ((yield* locked(webhookId)) === undefined) return
      // `behindId` and `untilId` limit a range of event ids, and no event has either id.
      const [behindId, untilId] = [makeLowestEventId(since), makeLowestEventId(until)]
      const isHeld = held ? 1 : 0
      const [waiting] = yield* sql<
        Pick<JobRow, "id" | "after_id" | "until_id">
      >`SELECT id, after_id, until_id FROM redeliveries
        WHERE webhook_id = ${webhookId} AND done_at IS NULL AND queued = 0 AND includes_pending = ${isHeld}
          AND after_id <= ${untilId} AND until_id >= ${behindId} ORDER BY id LIMIT 1`
      yield* waiting === undefined
        ? sql`INSERT INTO redeliveries ${sql.insert({
            id,
            webhook_id: webhookId,
            after_id: behindId,
            until_id: untilId,
            includes_pending: isHeld,
            requested_at: requestedAt,
            last_batch_at: requestedAt
          })}`
        : sql`UPDATE redeliveries SET after_id = ${behindId < waiting.after_id ? behindId : waiting.after_id},
            until_id = ${untilId > waiting.until_id ? untilId : waiting.until_id} WHERE id = ${waiting.id}`
      yield* AuditLog.appendEntry(sql, audit, askedAt)
    })

    /** Selects the next deliveries that have the given state, in the order of their events. */
    const nextOf = ({ after_id, until_id, webhook_id }: JobRow, state: "failed" | "pending", limit: number) =>
      sql<{ readonly event_id: EventId }>`SELECT event_id FROM deliveries
        WHERE webhook_id = ${webhook_id} AND state = ${state} AND event_id > ${after_id} AND event_id < ${until_id}
        ORDER BY event_id ${limitClause(sql, limit)}`

    const resend = (webhookId: WebhookId, ids: ReadonlyArray<EventId>, at: string) =>
      Effect.andThen(
        sql`UPDATE deliveries SET state = 'pending', settled_at = NULL, due_at = ${at}, attempts = 0
          WHERE webhook_id = ${webhookId} AND ${sql.in("event_id", ids)} AND state = 'failed'`,
        sql`UPDATE deliveries SET due_at = ${at}
          WHERE webhook_id = ${webhookId} AND ${sql.in("event_id", ids)} AND state = 'pending' AND is_leased = 0 AND due_at > ${at}`
      )

    /**
     * Selects the recovery whose turn is next. Only the oldest open recovery of each webhook takes turns, so a webhook
     * with many recoveries gets as many turns as any other webhook.
     */
    const oldestOpen = Effect.map(
      sql<Pick<JobRow, "id" | "webhook_id">>`SELECT id, webhook_id FROM redeliveries AS one
        WHERE done_at IS NULL AND NOT EXISTS (SELECT 1 FROM redeliveries AS earlier
          WHERE earlier.webhook_id = one.webhook_id AND earlier.done_at IS NULL AND earlier.id < one.id)
        ORDER BY last_batch_at, id LIMIT 1`,
      ([row]) => row
    )

    /** Moves the webhook's next recovery to the end of the queue of recoveries. */
    const passTurn = (webhookId: WebhookId, now: string) =>
      sql`UPDATE redeliveries SET last_batch_at = ${now} WHERE id = (SELECT id FROM redeliveries
        WHERE webhook_id = ${webhookId} AND done_at IS NULL ORDER BY id LIMIT 1)`

    const step = Effect.fnUntraced(function* (
      at: Instant.Instant,
      limit: number,
      begin: (receiver: ReceiverState) => ReceiverState
    ) {
      const oldest = yield* oldestOpen
      if (oldest === undefined) return Option.none<number>()
      // The webhook is locked before the recovery, because claims, results and deletions use the same lock order.
      const webhook = yield* locked(oldest.webhook_id)
      const [job] =
        yield* sql<JobRow>`SELECT id, webhook_id, after_id, until_id, includes_pending, queued FROM redeliveries
        WHERE id = ${oldest.id} AND done_at IS NULL ${forUpdate(sql)}`
      if (webhook === undefined) yield* sql`DELETE FROM redeliveries WHERE id = ${oldest.id}`
      if (webhook === undefined || job === undefined) return Option.some(0)
      const found = yield* Effect.forEach(
        job.includes_pending === 1 ? (["failed", "pending"] as const) : (["failed"] as const),
        (state) => nextOf(job, state, limit)
      )
      const ids = found
        .flat()
        .map(({ event_id }) => event_id)
        .toSorted()
        .slice(0, limit)
      const now = Instant.toIso(at)
      const last = ids.at(-1)
      if (last !== undefined) {
        if (job.queued === 0) yield* changed(webhook, begin)
        yield* resend(job.webhook_id, ids, now)
      }
      yield* sql`UPDATE redeliveries SET last_batch_at = ${now}, queued = queued + CAST(${ids.length} AS INTEGER),
          after_id = ${last ?? job.after_id},
          done_at = ${ids.length < limit ? now : null}
        WHERE id = ${job.id}`
      if (ids.length < limit) yield* passTurn(job.webhook_id, now)
      return Option.some(ids.length)
    })

    return RedeliveryStore.of({
      queue: (...args) => transact(sql, queue(...args)),
      count: (webhookId, state, period) =>
        Effect.orDie(
          Effect.map(
            sql<{ readonly total: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS total FROM deliveries
              WHERE webhook_id = ${webhookId} AND state = ${state} AND ${within(period)}`,
            ([row]) => row?.total ?? 0
          )
        ),
      open: (recovery, audit) => transact(sql, open(recovery, audit)),
      // The search for an open recovery takes no lock, because usually no recovery is open.
      step: (at, limit, begin) =>
        Effect.flatMap(Effect.orDie(oldestOpen), (open) =>
          open === undefined ? Effect.succeed(Option.none()) : transact(sql, step(at, limit, begin))
        ),
      nextDue: Effect.orDie(
        Effect.map(
          sql<Record<"at", string | null>>`SELECT MIN(last_batch_at) AS at FROM redeliveries WHERE done_at IS NULL`,
          ([row]) => Option.map(Option.fromNullOr(row?.at ?? null), Instant.fromIso)
        )
      )
    })
  })
)

type Queue = RedeliveryStore["Service"]["queue"]
