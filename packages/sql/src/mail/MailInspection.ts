/** Reads pages of waiting or failed mails for operators, and changes no data. */
import type { MailKind } from "@partner-commentary/core/mail/Mail"
import type { OrganizationId, ShareId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { limitClause } from "../database/Clauses.ts"
import { fromIsoOrNull } from "../database/Columns.ts"

export interface ListedMail {
  readonly id: string
  readonly kind: MailKind
  readonly organizationId: OrganizationId | null
  readonly shareId: ShareId | null
  /**
   * The recipient's address. The field is null for a mail to the contact of an organization, because such a mail stores
   * no address.
   */
  readonly to: string | null
  readonly state: "waiting" | "failed"
  readonly attempts: number
  readonly createdAt: Instant.Instant
  /**
   * The due time of a waiting mail. The due time is null for mails that do not wait to be sent. While a worker sends
   * the mail, the due time is the end of the worker's lease.
   */
  readonly dueAt: Instant.Instant | null
  readonly settledAt: Instant.Instant | null
  readonly reason: string | null
}

/**
 * The position of a page's last mail in the list. The position consists of the mail's id and the time by which the list
 * is sorted.
 */
export interface MailListPosition {
  readonly at: Instant.Instant
  readonly id: string
}

export interface MailListQuery {
  readonly state: ListedMail["state"]
  readonly organizationId: Option.Option<OrganizationId>
  readonly after: Option.Option<MailListPosition>
  readonly limit: number
}

/** Lists waiting mails in the order of due times. Lists failed mails with the newest first. */
export const listMails = Effect.fnUntraced(function* ({ after, limit, organizationId, state }: MailListQuery) {
  const sql = yield* SqlClient.SqlClient
  const [at, direction, beyond] = state === "waiting" ? ["due_at", "ASC", ">"] : ["settled_at", "DESC", "<"]
  const conditions = [
    sql`m.state = ${state}`,
    ...Option.toArray(Option.map(organizationId, (id) => sql`m.organization_id = ${id}`)),
    ...Option.toArray(
      Option.map(
        after,
        (last) => sql`(m.${sql.literal(`${at}, m.id) ${beyond}`)} (${Instant.toIso(last.at)}, ${last.id})`
      )
    )
  ]
  const rows =
    yield* sql<MailRow>`SELECT m.id, m.kind, m.organization_id, m.share_id, m.attempts, m.created_at, m.due_at,
      m.settled_at, m.reason, COALESCE(m.address, a.creator_email) AS recipient
    FROM mails m LEFT JOIN assignments a ON a.id = m.share_id
    WHERE ${sql.and(conditions)} ORDER BY m.${sql.literal(`${at} ${direction}, m.id ${direction}`)} ${limitClause(sql, limit + 1)}`
  const page = rows.slice(0, limit).map((row) => fromRow(row, state))
  const last = rows.length > limit ? page.at(-1) : undefined
  const ended = last?.dueAt ?? last?.settledAt ?? null
  return { mails: page, next: last === undefined || ended === null ? null : { at: ended, id: last.id } }
}, Effect.orDie)

interface MailRow {
  readonly id: string
  readonly kind: MailKind
  readonly organization_id: OrganizationId | null
  readonly share_id: ShareId | null
  readonly attempts: number
  readonly created_at: string
  readonly due_at: string
  readonly settled_at: string | null
  readonly reason: string | null
  readonly recipient: string | null
}

const fromRow = (row: MailRow, state: ListedMail["state"]): ListedMail => ({
  id: row.id,
  kind: row.kind,
  organizationId: row.organization_id,
  shareId: row.share_id,
  to: row.recipient === "" ? null : row.recipient,
  state,
  attempts: row.attempts,
  createdAt: Instant.fromIso(row.created_at),
  dueAt: state === "waiting" ? Instant.fromIso(row.due_at) : null,
  settledAt: fromIsoOrNull(row.settled_at),
  reason: row.reason
})
