/**
 * A mail in the queue. The row stores the subject but not the text. The worker writes the text when it sends the mail,
 * so the database contains no links.
 */
import * as Duration from "effect/Duration"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { NoticeKind } from "../topic/Workflow.ts"
import type { WebhookMention, WebhookNoticeKind } from "./WebhookNotices.ts"

/**
 * The kind `desk` contains a creator's link to all open requests. The kind `undeliverable` informs the partner's
 * contact about a request mail that did not arrive.
 */
export type MailKind = NoticeKind | WebhookNoticeKind | "desk" | "undeliverable"

export interface Mail {
  /**
   * The mail's id never changes and determines the Message-ID. If a mail with the same id is queued again, nothing
   * changes.
   */
  readonly id: string
  readonly kind: MailKind
  /** The id of the assignment; null for inbox links and for mails about webhooks. */
  readonly shareId: ShareId | null
  /**
   * The change of the webhook. The mail stores the change, because the webhook may be deleted before the mail is sent.
   */
  readonly webhook?: WebhookMention
  readonly organizationId: OrganizationId | null
  /**
   * The recipient's address, stored only for inbox links. For other mails the worker looks up the current address when
   * it sends the mail.
   */
  readonly address: string | null
  readonly createdAt: Instant
  /** The number of this attempt. An attempt whose process died does not count. */
  readonly attempts: number
  /** The ticket number of this claim. The store ignores an outcome with an outdated ticket. */
  readonly ticket: number
  /** The number of earlier attempts that sent the complete mail and received no reply. */
  readonly unanswered: number
}

/** A mail that the store adds to the queue. */
export type NewMail = Omit<Mail, "attempts" | "ticket" | "unanswered">

/** Returns the id of an assignment's mail for one occasion. */
export const noticeId = (shareId: ShareId, occasion: string): string => `${shareId}.${occasion}`

/** Separates the id of a mail from the suffix that marks a resent mail. */
export const resendIdSeparator = ".again-"

/** The delays between attempts. The last delay repeats until the mail window closes. */
const delays = [Duration.minutes(1), Duration.minutes(5), Duration.minutes(15), Duration.hours(1), Duration.hours(2)]

const delayAfter = (attempts: number): number =>
  Duration.toMillis(delays[Math.min(attempts, delays.length) - 1] ?? Duration.minutes(1))

/** Returns the sum of the planned delays after this number of attempts. */
const delayed = (attempts: number): number =>
  Array.from({ length: attempts - 1 }, (_, index) => delayAfter(index + 1)).reduce((sum, delay) => sum + delay, 0)

/**
 * Returns when to retry after a temporary failure; null after the mail window. Only planned delays count towards the
 * window, so the window does not shrink while no worker runs.
 */
export const retryAt = (mail: Mail, now: Instant, window: Duration.Duration): Instant | null => {
  const delay = delayAfter(mail.attempts)
  const elapsed = Math.min(now - mail.createdAt, delayed(mail.attempts))
  return elapsed + delay < Duration.toMillis(window) ? now + delay : null
}

/** The delay gives a slow mail server time to finish processing the first copy. */
const unansweredDelay = Duration.hours(1)

/** The maximum delay after each number of attempts. */
export const longestDelays = delays.map((delay) => Duration.max(delay, unansweredDelay))

/**
 * Returns when to retry a mail that was sent completely without a reply. The mail may have arrived, so only one more
 * attempt follows after an hour, with the same Message-ID.
 */
export const retryUnansweredAt = (mail: Mail, now: Instant): Instant | null =>
  mail.unanswered === 0 ? now + Duration.toMillis(unansweredDelay) : null
