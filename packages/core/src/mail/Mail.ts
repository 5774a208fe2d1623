/**
 * Defines a queued mail. A row stores what the mail is about, but not its text. The worker composes the text when it
 * sends the mail, so the database contains no links.
 */
import * as Duration from "effect/Duration"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { CreatorNoticeKind } from "../topic/Workflow.ts"
import type { WebhookNoticeData, WebhookNoticeKind } from "./WebhookNotices.ts"

/**
 * A `desk` mail contains a creator's link to all open requests. An `undeliverable` mail informs an organization's
 * contact about failed mails to creators.
 */
export type MailKind = CreatorNoticeKind | WebhookNoticeKind | "desk" | "undeliverable"

export interface Mail {
  /**
   * The Message-ID header is derived from the mail's stable id. Queuing a second mail with the same id changes nothing.
   */
  readonly id: string
  readonly kind: MailKind
  /** The id of the assignment; null for mails that are not about one assignment. */
  readonly shareId: ShareId | null
  /**
   * The changes or failures of webhooks that the mail reports; absent for other mails. The data of the webhook is
   * stored with the mail, because the webhook may be deleted before the mail is sent.
   */
  readonly webhook?: WebhookNoticeData
  readonly organizationId: OrganizationId | null
  /**
   * The recipient of an inbox link; null for other mails. For a mail without an inbox link, the worker looks up the
   * recipient's address when it sends the mail.
   */
  readonly address: string | null
  readonly createdAt: Instant
  /** The number of the current attempt. An attempt whose process died is not counted. */
  readonly attempts: number
  /** The ticket identifies the mail's latest claim. The store ignores an outcome whose ticket is not the latest. */
  readonly ticket: number
  /**
   * The number of earlier attempts that sent the whole mail but got no reply from the server. An attempt whose wait for
   * the reply ended because the process stopped is not counted.
   */
  readonly unanswered: number
  /**
   * The due time of the latest earlier attempt that may have delivered the mail, because the server did not reply or
   * the attempt's process died; null if there is no such attempt.
   */
  readonly maybeSentAt: Instant | null
}

/** A new mail that can be queued. */
export type NewMail = Omit<Mail, "attempts" | "ticket" | "unanswered" | "maybeSentAt">

/**
 * Returns the id of an assignment's mail. `occasion` distinguishes the mails of an assignment, for example `draft-2`.
 */
export const makeAssignmentMailId = (shareId: ShareId, occasion: string): string => `${shareId}.${occasion}`

/** Returns a lower and an upper bound for the ids of an assignment's mails. The slash follows the dot in ASCII. */
export const makeAssignmentMailIdRange = (shareId: ShareId): { readonly from: string; readonly to: string } => ({
  from: `${shareId}.`,
  to: `${shareId}/`
})

/** The id of a resent mail is the original id, this separator and the time of the resend. */
export const resendIdSeparator = ".again-"

/** The delays between attempts to send a mail. The last delay repeats until `Policy.mailWindow` has passed. */
const delays = [Duration.minutes(1), Duration.minutes(5), Duration.minutes(15), Duration.hours(1), Duration.hours(2)]

const delayAfter = (attempts: number): number =>
  Duration.toMillis(delays[Math.min(attempts, delays.length) - 1] ?? Duration.minutes(1))

/** Returns the sum of the delays before the attempt with this number. */
const sumDelaysBefore = (attempts: number): number =>
  Array.from({ length: attempts - 1 }, (_, index) => delayAfter(index + 1)).reduce((sum, delay) => sum + delay, 0)

/**
 * Returns the time of the next attempt after a temporary failure; null when the window for attempts is over. The retry
 * window counts only planned delays, so time without a running worker does not shorten the window.
 */
export const nextMailRetryAt = (mail: Mail, now: Instant, window: Duration.Duration): Instant | null => {
  const delay = delayAfter(mail.attempts)
  const elapsed = Math.min(now - mail.createdAt, sumDelaysBefore(mail.attempts))
  return elapsed + delay < Duration.toMillis(window) ? now + delay : null
}

/** One hour is enough for a slow mail server to accept the first copy of a mail before the second copy is sent. */
const unansweredDelay = Duration.hours(1)

/** The longest possible delay after the first attempt, after the second attempt, and so on. */
export const maxMailRetryDelays = delays.map((delay) => Duration.max(delay, unansweredDelay))

/**
 * Returns the time of the next attempt for a mail that was sent completely but got no reply. If the server sent no
 * reply, only one more attempt follows after an hour, because the mail may have arrived. If the process stopped before
 * the reply, another attempt always follows. Every attempt at a mail uses the same Message-ID.
 */
export const nextUnansweredMailRetryAt = (mail: Mail, now: Instant, { stopped = false } = {}): Instant | null =>
  stopped || mail.unanswered === 0 ? now + Duration.toMillis(unansweredDelay) : null
