/**
 * Queues notices to the contacts of organizations in the transaction of the change that the notice reports. Each
 * organization gets at most one mail in five minutes.
 */

import type { WebhookNoticeData } from "@partner-commentary/core/mail/WebhookNotices"
import type { WebhookId } from "@partner-commentary/core/shared/Ids"
import {
  addWebhookMention,
  calculateNoticePeriodNumber,
  dropRemovedWebhookMentions,
  listNoticeWebhooks,
  makeNoticeMail,
  maxMentionedWebhooks,
  type WebhookContactNotice
} from "@partner-commentary/core/webhook/WebhookContactNotice"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { forUpdate } from "../database/Clauses.ts"
import * as Mails from "../mail/MailStore.ts"

/**
 * Adds a notice to a waiting mail, or queues a new mail. If a worker has claimed the waiting mail, the notice goes into
 * the next mail, because the claimed mail may already be sent.
 */
export const queueContactNotice = (
  sql: SqlClient,
  notice: WebhookContactNotice,
  bucket = calculateNoticePeriodNumber(notice.at)
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const mail = makeNoticeMail(bucket, notice)
    const inserted = yield* sql`${Mails.insertMails(sql, [mail])} RETURNING id`
    if (inserted.length > 0) return
    const [unclaimed] = yield* sql<{ readonly webhook: string }>`SELECT webhook FROM mails
      WHERE id = ${mail.id} AND state = 'waiting' AND claim_number = 0 ${forUpdate(sql)}`
    if (unclaimed === undefined) return yield* queueContactNotice(sql, notice, bucket + 1)
    const more = yield* limitMentions(
      sql,
      addWebhookMention(JSON.parse(unclaimed.webhook) as WebhookNoticeData, notice)
    )
    yield* sql`UPDATE mails SET webhook = ${JSON.stringify(more)} WHERE id = ${mail.id}`
  })

const limitMentions = Effect.fnUntraced(function* (sql: SqlClient, mention: WebhookNoticeData) {
  const mentioned = listNoticeWebhooks(mention)
  if (mentioned.length <= maxMentionedWebhooks) return mention
  const ids = [...new Set(mentioned.map(({ id }) => id))]
  const present = yield* sql<{ readonly id: WebhookId }>`SELECT id FROM webhooks WHERE ${sql.in("id", ids)}`
  const known = new Set(present.map(({ id }) => id))
  return dropRemovedWebhookMentions(mention, (id) => !known.has(id))
})
