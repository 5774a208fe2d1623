/**
 * A queued mail. The row stores the subject but not the text. The worker writes the text when it sends the mail, so the
 * database holds no links.
 */
import * as Duration from "effect/Duration"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { NoticeKind } from "../topic/Workflow.ts"
import type { WebhookMention, WebhookNoticeKind } from "./WebhookNotices.ts"

/**
 * `desk`: a creator's link to all open requests. `undeliverable`: informs the partner's contact that a request mail did
 * not arrive.
 */
export type MailKind = NoticeKind | WebhookNoticeKind | "desk" | "undeliverable"

export interface Mail {
  /** The id is stable, and the Message-ID is derived from it. Queuing a mail with the same id again changes nothing. */
  readonly id: string
  readonly kind: MailKind
  /** The assignment's id; null for inbox links and mails about webhooks. */
  readonly shareId: ShareId | null
  /**
   * The change of a webhook. The change is stored in the mail because the webhook may be deleted before the mail is
   * sent.
   */
  readonly webhook?: WebhookMention
  readonly organizationId: OrganizationId | null
  /**
   * The address is fixed only for inbox links. For other mails the worker looks up the address when it sends the mail,
   * so that a changed address is used.
   */
  readonly address: string | null
  readonly createdAt: Instant
  /** The number of this attempt. An attempt does not count if its process died. */
  readonly attempts: number
  /** The ticket number identifies this claim. An outcome is ignored if its ticket is not the latest. */
  readonly ticket: number
  /** The number of earlier attempts that sent the whole mail and got no reply. */
  readonly unanswered: number
}

/** A mail to queue. */
export type NewMail = Omit<Mail, "attempts" | "ticket" | "unanswered">

/** The id of an assignment's mail for one occasion. */
export const noticeId = (shareId: ShareId, occasion: string): string => `${shareId}.${occasion}`

/** Separates a mail's id from the suffix of a resent mail. */
export const resendIdSeparator = ".again-"

/** Delays between attempts. The last delay repeats until the mail window closes. */
const delays = [Duration.minutes(1), Duration.minutes(5), Duration.minutes(15), Duration.hours(1), Duration.hours(2)]

const delayAfter = (attempts: number): number =>
  Duration.toMillis(delays[Math.min(attempts, delays.length) - 1] ?? Duration.minutes(1))

/** The sum of the planned delays after this number of attempts. */
const delayed = (attempts: number): number =>
  Array.from({ length: attempts - 1 }, (_, index) => delayAfter(index + 1)).reduce((sum, delay) => sum + delay, 0)

/**
 * Returns when to retry after a temporary failure; null after the mail window. The window consists of planned delays,
 * so time without a running worker does not shorten it.
 */
export const retryAt = (mail: Mail, now: Instant, window: Duration.Duration): Instant | null => {
  const delay = delayAfter(mail.attempts)
  const elapsed = Math.min(now - mail.createdAt, delayed(mail.attempts))
  return elapsed + delay < Duration.toMillis(window) ? now + delay : null
}

/** A slow mail server can finish with the first copy within this delay. */
const unansweredDelay = Duration.hours(1)

/** The maximum delay by number of attempts. */
export const maxRetryDelays = delays.map((delay) => Duration.max(delay, unansweredDelay))

/**
 * Returns when to retry a mail that was sent completely without a reply, because it may have arrived. One more attempt
 * with the same Message-ID follows after an hour, and then none.
 */
export const retryUnansweredAt = (mail: Mail, now: Instant): Instant | null =>
  mail.unanswered === 0 ? now + Duration.toMillis(unansweredDelay) : null
