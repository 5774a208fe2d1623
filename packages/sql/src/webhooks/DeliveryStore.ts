/**
 * Stores deliveries and their queue. The due times of each webhook's deliveries are the queue: a claim sets the due
 * time to the end of the worker's lease. The state of a receiver changes only under the lock of its webhook.
 */
import { clockToleranceMillis } from "@partner-commentary/core/shared/DueTimes"
import type { EventId, OrganizationId, WebhookId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { ReceiverState } from "@partner-commentary/core/webhook/CircuitBreaker"
import type { DeliveryAttemptKind } from "@partner-commentary/core/webhook/DeliveryPlan"
import {
  type ClaimedDelivery,
  type DeliveryBacklog,
  type DeliveryClaimPlan,
  DeliveryStore
} from "@partner-commentary/core/webhook/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { forUpdate, limitClause } from "../database/Clauses.ts"
import { fromIsoOrNull } from "../database/Columns.ts"
import { makeDueTooLateCondition } from "../database/DueTimes.ts"
import { makeOwnersClause } from "../database/FairQueue.ts"
import { transact } from "../database/Transaction.ts"
import * as SettledAttempts from "./SettledAttempts.ts"
import { formerSecretFromRow, type ReceiverRow, receiverFromRow, receiverToRow } from "./WebhookRow.ts"

interface ClaimedRow {
  readonly event_id: EventId
  readonly claim_number: number
  readonly attempts: number
  readonly manual: number
  readonly resume_at: string | null
  /** The payload is null if the event was deleted. */
  readonly payload: string | null
}

const oldestFirst = (one: ClaimedRow, other: ClaimedRow) => (one.event_id < other.event_id ? -1 : 1)

const none: ReadonlyArray<ClaimedDelivery> = []

export const layer = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queued = {
      due: sql.literal("due_at"),
      isLeased: sql.literal("is_leased = 1"),
      attempts: sql.literal("attempts")
    }

    const locked = (id: WebhookId) =>
      Effect.map(sql<ReceiverRow>`SELECT * FROM webhooks WHERE id = ${id} ${forUpdate(sql)}`, ([row]) => row)

    const keep = (receiver: ReceiverState) =>
      sql`UPDATE webhooks SET ${sql.update(receiverToRow(receiver))} WHERE id = ${receiver.webhook.id}`

    /**
     * Claims due deliveries of a webhook. The caller must hold the lock of the webhook's row. The UPDATE statement also
     * returns the payloads.
     */
    const take = Effect.fnUntraced(function* (
      receiver: ReceiverState,
      row: ReceiverRow,
      at: Instant.Instant,
      lease: Instant.Instant,
      taking: DeliveryClaimPlan
    ) {
      const { id, status, url } = receiver.webhook
      if (status !== "active") return { receiver, claimed: none }
      const secrets = { encryptedSecret: row.encrypted_secret, formerSecret: formerSecretFromRow(row) }
      const now = Instant.toIso(at)
      const [counted] = yield* sql<{ readonly count: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS count FROM deliveries
        WHERE webhook_id = ${id} AND is_leased = 1 AND due_at > ${now}`
      const allowance = taking.allow(receiver, counted?.count ?? 0)
      // For a single row the statement compares with `=`, because SQLite builds a list for `IN`.
      const among = sql.literal(allowance.limit === 1 ? "=" : "IN")
      const rows =
        allowance.limit === 0
          ? []
          : yield* sql<ClaimedRow>`UPDATE deliveries SET is_leased = 1, claim_number = claim_number + 1, due_at = ${Instant.toIso(lease)}
              WHERE webhook_id = ${id} AND event_id ${among} (SELECT event_id FROM deliveries
                WHERE webhook_id = ${id} AND due_at <= ${now} ORDER BY due_at, event_id ${limitClause(sql, allowance.limit)})
              RETURNING event_id, claim_number, attempts, manual, resume_at,
                (SELECT payload FROM events WHERE id = event_id) AS payload`
      return {
        receiver: taking.taken(receiver, allowance, rows.length),
        claimed: rows.toSorted(oldestFirst).flatMap(({ payload, ...row }): ReadonlyArray<ClaimedDelivery> => {
          if (payload === null) return none
          const { attempts, claim_number: ticket, event_id: eventId, manual } = row
          const kind: DeliveryAttemptKind = allowance.probe ? "probe" : manual === 1 ? "manual" : "scheduled"
          const resumeAt = fromIsoOrNull(row.resume_at)
          return [{ webhookId: id, url, ...secrets, eventId, payload, ticket, attempts, resumeAt, kind }]
        })
      }
    })

    const claim = Effect.fnUntraced(function* (
      id: WebhookId,
      at: Instant.Instant,
      lease: Instant.Instant,
      taking: DeliveryClaimPlan
    ) {
      const row = yield* locked(id)
      if (row === undefined) return none
      const before = receiverFromRow(row)
      const { claimed, receiver } = yield* take(before, row, at, lease, taking)
      if (receiver !== before) yield* keep(receiver)
      return claimed
    })

    const settle = yield* SettledAttempts.make(sql, { locked, take, keep })

    /** Returns a WITH clause that selects each webhook with waiting deliveries. */
    const withOwners = makeOwnersClause({ rows: "deliveries WHERE due_at IS NOT NULL", owner: "webhook_id" })

    const waiting =
      sql.literal(`${withOwners}, waiting AS (SELECT w.id, w.organization_id, w.consecutive_failures, w.paused_until, (SELECT due_at FROM deliveries
          WHERE webhook_id = w.id AND due_at IS NOT NULL ORDER BY due_at LIMIT 1) AS due_at
        FROM owner JOIN webhooks w ON w.id = owner.id WHERE w.status = 'active')`)

    return DeliveryStore.of({
      dueWebhooks: (at, inFlightLimit, limit) => {
        const now = Instant.toIso(at)
        return Effect.orDie(
          Effect.map(
            sql<{ readonly id: WebhookId; readonly organization_id: OrganizationId }>`${waiting}
              SELECT id, organization_id FROM waiting
              WHERE due_at <= ${now} AND (paused_until IS NULL OR paused_until <= ${now})
                AND (SELECT COUNT(*) FROM deliveries WHERE webhook_id = waiting.id AND is_leased = 1 AND due_at > ${now})
                  < CASE WHEN consecutive_failures > 0 THEN 1 ELSE CAST(${inFlightLimit} AS INTEGER) END
              ORDER BY due_at, id ${limitClause(sql, limit)}`,
            (rows) => rows.map(({ id, organization_id }) => ({ webhookId: id, organizationId: organization_id }))
          )
        )
      },

      claim: (id, at, lease, taking) => transact(sql, claim(id, at, lease, taking)),
      settle: (claimed, attempt, at, decide, following) =>
        settle({ claimed, attempt, at, decide, ...(following === undefined ? {} : { following }) }),

      release: ({ eventId, ticket, webhookId }, at) =>
        Effect.orDie(
          Effect.asVoid(
            sql`UPDATE deliveries SET is_leased = 0, due_at = ${Instant.toIso(at)}
              WHERE webhook_id = ${webhookId} AND event_id = ${eventId} AND claim_number = ${ticket} AND is_leased = 1`
          )
        ),

      postpone: (id, until) =>
        Effect.orDie(
          Effect.asVoid(
            sql`UPDATE webhooks SET paused_until = ${Instant.toIso(until)}
              WHERE id = ${id} AND (paused_until IS NULL OR paused_until < ${Instant.toIso(until)})`
          )
        ),

      repairDueTimes: (latest) => {
        const future = Instant.toIso(latest.now + clockToleranceMillis)
        return Effect.orDie(
          Effect.asVoid(
            sql`UPDATE deliveries SET due_at = CASE is_leased WHEN 1 THEN ${Instant.toIso(latest.leased)}
                ELSE ${Instant.toIso(latest.now)} END
              WHERE webhook_id IN (SELECT id FROM webhooks) AND due_at > ${future}
                AND (${makeDueTooLateCondition(sql, queued, latest)} OR is_leased = 0 AND EXISTS (SELECT 1 FROM delivery_attempts
                  WHERE webhook_id = deliveries.webhook_id AND event_id = deliveries.event_id
                    AND claim_number = deliveries.claim_number AND started_at > ${future}))`
          )
        )
      },

      repairPauses: (after, isPostponed) =>
        Effect.orDie(
          Effect.gen(function* () {
            const paused = yield* sql<ReceiverRow>`SELECT * FROM webhooks WHERE paused_until > ${Instant.toIso(after)}`
            for (const { id, paused_until } of paused.filter((row) => isPostponed(receiverFromRow(row)))) {
              yield* sql`UPDATE webhooks SET paused_until = NULL WHERE id = ${id} AND paused_until = ${paused_until}`
            }
          })
        ),

      nextDue: Effect.orDie(
        Effect.map(
          sql<{ readonly at: string | null }>`${waiting}
            SELECT MIN(CASE WHEN paused_until > due_at THEN paused_until ELSE due_at END) AS at FROM waiting`,
          ([row]) => Option.map(Option.fromNullOr(row?.at ?? null), Instant.fromIso)
        )
      ),

      backlog: Effect.fnUntraced(function* (at, limit) {
        const now = Instant.toIso(at)
        const mayGo = sql`w.status = 'active' AND (w.paused_until IS NULL OR w.paused_until <= ${now})`
        const ofOwners = sql.literal(
          "FROM owner JOIN webhooks w ON w.id = owner.id JOIN deliveries d ON d.webhook_id = w.id"
        )
        const counted = (rows: Fragment, name: string) =>
          sql`(SELECT CAST(COUNT(*) AS INTEGER) FROM (SELECT 1 ${rows} ${limitClause(sql, limit)}) AS counted) AS ${sql(name)}`
        const [row] = yield* Effect.orDie(
          sql<DeliveryBacklog>`${sql.literal(withOwners)} SELECT
            ${counted(sql`${ofOwners} WHERE d.due_at <= ${now} AND ${mayGo}`, "due")},
            ${counted(sql`${ofOwners} WHERE d.due_at IS NOT NULL AND NOT (${mayGo})`, "held")},
            ${counted(sql`FROM webhooks WHERE circuit_breaker IS NOT NULL AND circuit_breaker NOT LIKE '%"probes":null%'`, "open")},
            ${counted(sql`FROM webhooks WHERE status = 'disabled'`, "disabled")}`
        )
        return row ?? { due: 0, held: 0, open: 0, disabled: 0 }
      })
    })
  })
)
