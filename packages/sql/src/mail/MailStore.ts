/**
 * Stores mails and their queue. The due times of the table are the queue: when a worker claims a mail, the due time
 * becomes the end of the worker's lease.
 */
import {
  type Mail,
  type MailKind,
  makeAssignmentMailIdRange,
  type NewMail,
  resendIdSeparator
} from "@partner-commentary/core/mail/Mail"
import { type MailAttemptOutcome, MailStore } from "@partner-commentary/core/mail/MailStore"
import * as StalledDraftNotice from "@partner-commentary/core/mail/StalledDraftNotice"
import type { WebhookNoticeData } from "@partner-commentary/core/mail/WebhookNotices"
import { findLatestPlausibleDueTime } from "@partner-commentary/core/shared/DueTimes"
import type { OrganizationId, ShareId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { MailAttempt } from "@partner-commentary/core/topic/Workflow"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { forUpdateSkipLocked, limitClause, valuesClause } from "../database/Clauses.ts"
import { fromIsoOrNull, makeIsoFormatter, normalizeEmail } from "../database/Columns.ts"
import { makeDueTooLateCondition } from "../database/DueTimes.ts"
import { makeDueRowsClause, makeFirstDueAtSubquery, makeOwnersClause } from "../database/FairQueue.ts"
import { runWithSharedCommit } from "../database/Transaction.ts"
import * as SentMails from "./SentMails.ts"

interface MailRow {
  readonly id: string
  readonly kind: MailKind
  readonly share_id: ShareId | null
  readonly organization_id: OrganizationId | null
  readonly address: string | null
  readonly created_at: string
  readonly attempts: number
  readonly claim_number: number
  readonly unanswered: number
  readonly maybe_sent_at: string | null
  readonly webhook: string | null
}

interface ClaimedRow extends MailRow {
  readonly was_due_at: string
}

/** The queue of waiting mails, in which each organization is an owner with a fair share. */
export const waitingMailsQueue = {
  rows: "mails WHERE state = 'waiting'",
  owner: "COALESCE(organization_id, '')",
  dueAt: "due_at"
}

export const layer = Layer.effect(
  MailStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queued = {
      due: sql.literal("due_at"),
      isLeased: sql.literal("was_due_at IS NOT NULL"),
      attempts: sql.literal("attempts")
    }

    const settleSent = yield* SentMails.make(sql)

    return MailStore.of({
      queue: (mail) => Effect.orDie(Effect.asVoid(insertMails(sql, [mail]))),

      claim: (at, lease, limit, behind = null) => {
        const turn = turnBehind(behind)
        // Organizations are sorted by id. The order starts after `behind`, the last organization of the previous claim.
        const first = sql`CASE WHEN id > ${behind ?? ""} THEN 0 ELSE 1 END, id`
        const now = Instant.toIso(at)
        return Effect.orDie(
          Effect.map(
            runWithSharedCommit(
              sql,
              sql<ClaimedRow>`${makeDueRowsClause(sql, waitingMailsQueue, { now, limit, first, locked: forUpdateSkipLocked(sql) })}
                UPDATE mails SET was_due_at = due_at, due_at = ${Instant.toIso(lease)}, claim_number = claim_number + 1,
                  maybe_sent_at = COALESCE(was_due_at, maybe_sent_at)
                WHERE id IN (SELECT id FROM due) RETURNING *`
            ),
            (rows) =>
              rows
                .toSorted((one, other) => turn(one, other) || longestOverdueFirst(one, other))
                .map((row) => fromRow({ ...row, attempts: row.attempts + 1 }))
          )
        )
      },

      renew: (mail, lease) => Effect.orDie(updateClaimedMail(sql, mail, sql`due_at = ${Instant.toIso(lease)}`)),

      settle: (mail, outcome, at) =>
        outcome.state === "sent"
          ? settleSent({ mail, at })
          : Effect.orDie(updateClaimedMail(sql, mail, following(sql, mail, outcome, at))),

      retryNow: (id, at, { unclaimedOnly } = { unclaimedOnly: false }) =>
        Effect.orDie(retryNow(sql, id, Instant.toIso(at), unclaimedOnly)),

      requeueFailed: (since, before, at, limit) =>
        Effect.orDie(
          Effect.map(
            sql`UPDATE mails SET ${resetMail(sql, Instant.toIso(at))} WHERE state = 'failed' AND id IN (
                SELECT id FROM mails WHERE state = 'failed' AND settled_at >= ${Instant.toIso(since)}
                  AND settled_at < ${Instant.toIso(before)} AND kind <> 'desk' ORDER BY settled_at, id ${limitClause(sql, limit)})
              RETURNING id`,
            ({ length }) => length
          )
        ),

      // Notices about undeliverable mails, stalled drafts and webhooks can be scheduled later than other mails, so
      // later due times are valid for these kinds.
      repairDueTimes: (latest) =>
        Effect.orDie(
          Effect.asVoid(
            sql`UPDATE mails SET due_at = CASE WHEN was_due_at IS NULL THEN ${Instant.toIso(latest.now)}
                ELSE ${Instant.toIso(latest.leased)} END
              WHERE state = 'waiting' AND ${makeDueTooLateCondition(sql, queued, latest)}
                AND (kind NOT IN ('undeliverable', 'stalled') AND kind NOT LIKE 'webhook%' OR due_at > ${Instant.toIso(findLatestPlausibleDueTime(latest, latest.waiting.length))})`
          )
        ),

      undelivered: (organizationId, { from, to }, limit) => {
        const given = sql`FROM mails WHERE state = 'failed' AND organization_id = ${organizationId}
          AND settled_at >= ${Instant.toIso(from)} AND settled_at < ${Instant.toIso(to)} AND share_id IS NOT NULL`
        return Effect.orDie(
          Effect.map(
            sql<{ share_id: ShareId; total: number }>`SELECT share_id,
                (SELECT CAST(COUNT(DISTINCT share_id) AS INTEGER) ${given}) AS total
              ${given} GROUP BY share_id ORDER BY MIN(settled_at), share_id ${limitClause(sql, limit)}`,
            (rows) => ({ shareIds: rows.map(({ share_id }) => share_id), total: rows[0]?.total ?? 0 })
          )
        )
      },

      forget: (address) => Effect.orDie(forget(sql, address)),

      forgetReasons: (id) => {
        const { from, to } = makeAssignmentMailIdRange(id)
        return Effect.orDie(
          Effect.asVoid(sql`UPDATE mails SET reason = NULL WHERE id > ${from} AND id < ${to} AND reason IS NOT NULL`)
        )
      },

      nextDue: Effect.orDie(
        Effect.map(
          sql<{ readonly at: string | null }>`${sql.literal(makeOwnersClause(waitingMailsQueue))}
            SELECT MIN(${sql.literal(makeFirstDueAtSubquery(waitingMailsQueue))}) AS at FROM owner`,
          ([row]) => Option.map(Option.fromNullOr(row?.at ?? null), Instant.fromIso)
        )
      ),

      failed: (limit) =>
        Effect.orDie(
          Effect.map(
            sql<MailRow & { readonly reason: string | null; readonly settled_at: string }>`SELECT * FROM mails
              WHERE state = 'failed' ORDER BY settled_at DESC, id DESC ${limitClause(sql, limit)}`,
            (rows) =>
              rows.map((row) => ({ mail: fromRow(row), reason: row.reason ?? "", at: Instant.fromIso(row.settled_at) }))
          )
        )
    })
  })
)

/**
 * Resets a mail to the state before the first attempt. The mail keeps its id, so that receivers can recognize a
 * duplicate.
 */
const resetMail = (sql: SqlClient.SqlClient, at: string): Fragment =>
  sql`state = 'waiting', settled_at = NULL, due_at = ${at}, was_due_at = NULL, attempts = 0, unanswered = 0`

const retryNow = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  id: string,
  at: string,
  unclaimedOnly: boolean
) {
  // The ids of resent mails begin with the id of the mail and `.again-`. The id range of resent mails ends at
  // `.again.`, because the dot follows the hyphen in ASCII.
  const isMail = sql`(id = ${id} OR (id > ${id + resendIdSeparator} AND id < ${`${id}${resendIdSeparator.slice(0, -1)}.`}))`
  const waiting = yield* sql`UPDATE mails SET due_at = CASE WHEN was_due_at IS NULL THEN ${at} ELSE due_at END
    WHERE state = 'waiting' AND ${isMail}${sql.literal(unclaimedOnly ? " AND was_due_at IS NULL" : "")} RETURNING id`
  if (waiting.length > 0) return true
  const given = yield* sql`UPDATE mails SET ${resetMail(sql, at)} WHERE state = 'failed' AND id IN (
      SELECT id FROM mails WHERE state = 'failed' AND ${isMail} ORDER BY settled_at DESC LIMIT 1)
    RETURNING id`
  return given.length > 0
})

/** Compares addresses in code, because SQLite's `lower` only changes ASCII letters. */
const forget = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, address: string) {
  const rows = yield* sql<{ readonly address: string }>`SELECT DISTINCT address FROM mails WHERE address IS NOT NULL`
  const spellings = rows.map((row) => row.address).filter((one) => normalizeEmail(one) === normalizeEmail(address))
  const now = Instant.toIso(yield* Instant.now)
  yield* sql`UPDATE mails SET address = NULL, reason = NULL,
      due_at = CASE WHEN state = 'waiting' THEN ${now} ELSE due_at END
    WHERE ${sql.in("address", spellings)}`
})

const following = (
  sql: SqlClient.SqlClient,
  { attempts }: Pick<Mail, "attempts">,
  outcome: MailAttemptOutcome,
  at: Instant.Instant
): Fragment => {
  switch (outcome.state) {
    case "waiting":
      return sql`due_at = ${Instant.toIso(outcome.until)}, was_due_at = NULL, reason = ${outcome.reason},
        attempts = ${attempts}, unanswered = unanswered + ${outcome.unanswered && !outcome.stopped ? 1 : 0},
        maybe_sent_at = ${sql.literal(outcome.unanswered ? "was_due_at" : "maybe_sent_at")}`
    case "released":
      return sql`due_at = ${Instant.toIso(at)}, was_due_at = NULL`
    case "obsolete":
      return sql`state = 'obsolete', settled_at = ${Instant.toIso(at)}, reason = NULL`
    default:
      return sql`state = ${outcome.state}, settled_at = ${Instant.toIso(at)}, attempts = ${attempts},
        reason = ${outcome.state === "failed" ? outcome.reason : null}`
  }
}

/** Queues mails, each due at its creation time. A mail whose id already exists does not change. */
export const insertMails = (sql: SqlClient.SqlClient, mails: ReadonlyArray<NewMail>) => {
  const iso = makeIsoFormatter()
  return sql`INSERT INTO mails ${valuesClause(
    sql,
    mails.map((mail) => toRow(mail, iso(mail.createdAt)))
  )}
    ON CONFLICT (id) DO NOTHING`
}

/**
 * Returns the time at which to mail the creator about a stalled draft. The caller must hold the lock of the
 * assignment's row.
 */
export const findNextStalledDraftNoticeTime = (sql: SqlClient.SqlClient, shareId: ShareId, now: Instant.Instant) => {
  const { from, to } = StalledDraftNotice.makeStalledDraftNoticeIdRange(shareId)
  return Effect.map(
    sql<{ readonly last: string | null }>`SELECT MAX(created_at) AS last FROM mails
      WHERE id > ${from} AND id < ${to} AND state <> 'obsolete'`,
    ([row]) =>
      StalledDraftNotice.nextStalledDraftNoticeAt(
        Option.getOrNull(Option.map(Option.fromNullishOr(row?.last), Instant.fromIso)),
        now
      )
  )
}

/** Marks a mail as sent. The statement changes no row if a later attempt has claimed the mail. */
export const markSent = (sql: SqlClient.SqlClient, mail: MailAttempt, at: Instant.Instant) =>
  makeClaimedMailUpdate(sql, mail, following(sql, mail, { state: "sent" }, at))

const updateClaimedMail = (sql: SqlClient.SqlClient, mail: Pick<Mail, "id" | "ticket">, next: Fragment) =>
  Effect.map(sql`${makeClaimedMailUpdate(sql, mail, next)} RETURNING id`, ({ length }) => length > 0)

const makeClaimedMailUpdate = (sql: SqlClient.SqlClient, { id, ticket }: Pick<Mail, "id" | "ticket">, next: Fragment) =>
  sql`UPDATE mails SET ${next} WHERE id = ${id} AND claim_number = ${ticket} AND state = 'waiting'`

const toRow = (mail: NewMail, createdAt: string) => ({
  id: mail.id,
  kind: mail.kind,
  share_id: mail.shareId,
  organization_id: mail.organizationId,
  address: mail.address,
  created_at: createdAt,
  due_at: createdAt,
  webhook: mail.webhook === undefined ? null : JSON.stringify(mail.webhook)
})

const fromRow = (row: MailRow): Mail => ({
  id: row.id,
  kind: row.kind,
  shareId: row.share_id,
  organizationId: row.organization_id,
  address: row.address,
  createdAt: Instant.fromIso(row.created_at),
  attempts: row.attempts,
  ticket: row.claim_number,
  unanswered: row.unanswered,
  maybeSentAt: fromIsoOrNull(row.maybe_sent_at),
  ...(row.webhook === null ? {} : { webhook: JSON.parse(row.webhook) as WebhookNoticeData })
})

const longestOverdueFirst = (one: ClaimedRow, other: ClaimedRow): number =>
  inOrder(one.was_due_at, other.was_due_at) || inOrder(one.id, other.id)

/** Sorts claimed mails by the order in which the statement selected the organizations. */
const turnBehind = (behind: OrganizationId | null) => (one: ClaimedRow, other: ClaimedRow) => {
  const [owner, otherOwner] = [one.organization_id ?? "", other.organization_id ?? ""]
  const isBefore = (id: string) => (id > (behind ?? "") ? 0 : 1)
  return isBefore(owner) - isBefore(otherOwner) || inOrder(owner, otherOwner)
}

const inOrder = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)
