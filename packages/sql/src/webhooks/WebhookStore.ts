/** Changes webhooks under the lock of their row. Each owner has a counter that limits the number of webhooks. */
import type { AuditEntry } from "@partner-commentary/core/shared/AuditLog"
import type { WebhookId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { Webhook } from "@partner-commentary/core/webhook/Webhook"
import {
  TooManyWebhooks,
  type WebhookDisablingDetails,
  WebhookStore,
  type WebhookStoreChange
} from "@partner-commentary/core/webhook/WebhookStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { forUpdate, forUpdateSkipLocked, limitClause } from "../database/Clauses.ts"
import { transact } from "../database/Transaction.ts"
import * as AuditLog from "../operations/AuditLog.ts"
import * as ContactNotices from "./ContactNotices.ts"
import { formerSecretFromRow, type ReceiverRow, webhookFromRow, webhookToRow } from "./WebhookRow.ts"

/**
 * Lists the tables that contain rows of a deleted webhook. Each entry contains the name of a table, and the key columns
 * that follow the webhook's id.
 */
const leftovers = [
  ["delivery_attempts", "event_id, claim_number"],
  ["deliveries", "event_id"]
] as const

export const layer = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const ownedBy = ({ environment, organizationId }: Owner) =>
      sql`organization_id = ${organizationId} AND environment = ${environment}`

    /**
     * The webhook counter stays locked until the transaction ends, so that a concurrent insert counts the new webhook.
     */
    const countOneMore = ({ environment, organizationId }: Owner) =>
      Effect.map(
        sql<{ readonly total: number }>`INSERT INTO webhook_totals AS seen (organization_id, environment, total)
          VALUES (${organizationId}, ${environment}, 1)
          ON CONFLICT (organization_id, environment) DO UPDATE SET total = seen.total + 1
          RETURNING total`,
        ([row]) => row?.total ?? 0
      )

    const record = (owner: Owner, id: WebhookId, entry: Pick<AuditEntry, "action" | "details">) =>
      Effect.flatMap(Instant.now, (now) =>
        AuditLog.appendEntry(sql, { ...entry, subject: id, organizationId: owner.organizationId }, now)
      )

    const follow = Effect.fnUntraced(function* ({ audit, notice, webhook }: WebhookStoreChange) {
      yield* record(webhook.owner, webhook.id, audit)
      if (notice !== null) yield* ContactNotices.queueContactNotice(sql, notice)
    })

    const insert = Effect.fnUntraced(function* (change: WebhookStoreChange, encryptedSecret: string, limit: number) {
      const { webhook } = change
      if ((yield* countOneMore(webhook.owner)) > limit) return yield* new TooManyWebhooks({ limit })
      yield* sql`INSERT INTO webhooks ${sql.insert({ ...webhookToRow(webhook), encrypted_secret: encryptedSecret })}`
      yield* follow(change)
    })

    const modify = Effect.fnUntraced(function* (
      owner: Owner | null,
      id: WebhookId,
      decide: (present: Webhook) => WebhookStoreChange
    ) {
      const [row] = yield* sql`SELECT * FROM webhooks
        WHERE id = ${id} ${owner === null ? sql.literal("") : sql`AND ${ownedBy(owner)}`} ${forUpdate(sql)}`
      if (row === undefined) return Option.none<Webhook>()
      const before = webhookFromRow(row)
      const change = decide(before)
      if (change.webhook === before) return Option.some(before)
      const fresh = isFresh(before, change.webhook) ? { circuit_breaker: null, paused_until: null } : {}
      yield* sql`UPDATE webhooks SET ${sql.update({ ...webhookToRow(change.webhook), ...fresh }, ["id"])} WHERE id = ${id}`
      yield* follow(change)
      return Option.some(change.webhook)
    })

    const rotateSecret = Effect.fnUntraced(function* (
      owner: Owner,
      id: WebhookId,
      { at, encrypted, formerUntil }: Parameters<WebhookStore["Service"]["rotateSecret"]>[2],
      audit: Pick<AuditEntry, "action" | "details">
    ) {
      const former =
        formerUntil === null
          ? sql`former_secret = NULL, former_secret_until = NULL`
          : sql`former_secret = encrypted_secret, former_secret_until = ${Instant.toIso(formerUntil)}`
      const [row] = yield* sql`UPDATE webhooks
        SET ${former}, encrypted_secret = ${encrypted}, updated_at = ${Instant.toIso(at)}
        WHERE id = ${id} AND ${ownedBy(owner)} RETURNING *`
      if (row === undefined) return Option.none<Webhook>()
      yield* record(owner, id, audit)
      return Option.some(webhookFromRow(row))
    })

    const remove = Effect.fnUntraced(function* (
      owner: Owner,
      id: WebhookId,
      audit: Pick<AuditEntry, "action" | "details">
    ) {
      const removed = yield* sql`DELETE FROM webhooks WHERE id = ${id} AND ${ownedBy(owner)} RETURNING id`
      if (removed.length === 0) return false
      yield* sql`INSERT INTO removed_webhooks ${sql.insert({ id })}`
      yield* sql`DELETE FROM redeliveries WHERE webhook_id = ${id}`
      yield* record(owner, id, audit)
      yield* sql`UPDATE webhook_totals SET total = total - 1 WHERE ${ownedBy(owner)}`
      return true
    })

    const firstRemoved = (lock: Fragment) =>
      sql<{ readonly id: WebhookId }>`SELECT id FROM removed_webhooks ORDER BY id LIMIT 1 ${lock}`

    const clear = Effect.fnUntraced(function* (limit: number) {
      const [removed] = yield* firstRemoved(forUpdateSkipLocked(sql))
      if (removed === undefined) return 0
      for (const [table, last] of leftovers) {
        const key = sql.literal(`webhook_id, ${last}`)
        const deleted = yield* sql`DELETE FROM ${sql(table)} WHERE (${key}) IN (
          SELECT ${key} FROM ${sql(table)} WHERE webhook_id = ${removed.id} ${limitClause(sql, limit)}) RETURNING 1 AS deleted`
        if (deleted.length > 0) return deleted.length
      }
      yield* sql`DELETE FROM removed_webhooks WHERE id = ${removed.id}`
      return 1
    })

    return WebhookStore.of({
      insert: (change, encryptedSecret, limit) => transact(sql, insert(change, encryptedSecret, limit)),
      modify: (owner, id, decide) => transact(sql, modify(owner, id, decide)),
      rotateSecret: (owner, id, rotation, audit) => transact(sql, rotateSecret(owner, id, rotation, audit)),
      remove: (owner, id, audit) => transact(sql, remove(owner, id, audit)),
      // The search for a removed webhook takes no lock, because the search usually finds none.
      clear: (limit) =>
        Effect.flatMap(Effect.orDie(firstRemoved(sql.literal(""))), ({ length }) =>
          length === 0 ? Effect.succeed(0) : transact(sql, clear(limit))
        ),

      find: (owner, id) =>
        Effect.orDie(
          Effect.map(sql`SELECT * FROM webhooks WHERE id = ${id} AND ${ownedBy(owner)}`, ([row]) =>
            row === undefined ? Option.none() : Option.some(webhookFromRow(row))
          )
        ),

      list: (owner) =>
        Effect.orDie(
          Effect.map(sql`SELECT * FROM webhooks WHERE ${ownedBy(owner)} ORDER BY created_at DESC, id DESC`, (rows) =>
            rows.map(webhookFromRow)
          )
        ),

      listAll: ({ disabled, organizationId }) =>
        Effect.orDie(
          Effect.map(
            sql`SELECT * FROM webhooks
              WHERE ${sql.and([
                disabled ? sql`status = 'disabled'` : sql`1 = 1`,
                organizationId === null ? sql`1 = 1` : sql`organization_id = ${organizationId}`
              ])}
              ORDER BY organization_id, environment, created_at DESC, id DESC`,
            (rows) => rows.map(webhookFromRow)
          )
        ),

      latestDisablings: (ids) =>
        ids.length === 0
          ? Effect.succeed(new Map())
          : Effect.orDie(
              Effect.map(
                sql<DisablingRow>`SELECT subject, recorded_at, details FROM audit_log WHERE number IN (
                  SELECT MAX(number) FROM audit_log
                  WHERE ${sql.in("subject", ids)} AND action = 'webhook.disabled' GROUP BY subject)`,
                (rows) => new Map(rows.map((row) => [row.subject, toDisablingDetails(row)]))
              )
            ),

      secrets: (id) =>
        Effect.orDie(
          Effect.map(
            sql<SecretsRow>`SELECT id, encrypted_secret, former_secret, former_secret_until
              FROM webhooks WHERE id = ${id}`,
            ([row]) =>
              Option.map(Option.fromUndefinedOr(row), ({ encrypted_secret, ...former }) => ({
                encryptedSecret: encrypted_secret,
                formerSecret: formerSecretFromRow(former)
              }))
          )
        ),

      encryptedSecrets: (behind, limit) =>
        Effect.gen(function* () {
          const now = yield* Instant.now
          const rows = yield* sql<SecretsRow>`SELECT id, encrypted_secret, former_secret, former_secret_until
            FROM webhooks WHERE id > ${behind ?? ""} ORDER BY id ${limitClause(sql, limit)}`
          return rows.flatMap(({ encrypted_secret, id, ...row }) => {
            const former = formerSecretFromRow(row)
            const texts = [encrypted_secret, ...(former !== null && now < former.until ? [former.encrypted] : [])]
            return texts.map((encryptedSecret) => ({ id, encryptedSecret }))
          })
        }).pipe(Effect.orDie),

      replaceSecret: (id, { from, to }) =>
        Effect.orDie(
          Effect.asVoid(
            sql`UPDATE webhooks SET
                encrypted_secret = CASE WHEN encrypted_secret = ${from} THEN ${to} ELSE encrypted_secret END,
                former_secret = CASE WHEN former_secret = ${from} THEN ${to} ELSE former_secret END
              WHERE id = ${id} AND (encrypted_secret = ${from} OR former_secret = ${from})`
          )
        )
    })
  })
)

type SecretsRow = Pick<ReceiverRow, "id" | "encrypted_secret" | "former_secret" | "former_secret_until">

interface DisablingRow {
  readonly subject: WebhookId
  readonly recorded_at: string
  readonly details: string
}

const toDisablingDetails = ({ details, recorded_at }: DisablingRow): WebhookDisablingDetails => {
  const { reason } = JSON.parse(details) as Partial<WebhookDisablingDetails>
  return { at: Instant.fromIso(recorded_at), reason: reason ?? "" }
}

/**
 * Returns whether the webhook was activated or got another URL. After an activation or a new URL, the stored state of
 * the receiver no longer applies.
 */
const isFresh = (before: Webhook, after: Webhook): boolean =>
  after.url !== before.url ||
  (after.status === "active" && (before.status !== "active" || after.consecutiveFailures < before.consecutiveFailures))
