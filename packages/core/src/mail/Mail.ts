/** A mail on its way: what it is about, not what it says. It is written when it is sent, so no link ever lies in the database. */
import * as Duration from "effect/Duration"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { NoticeKind } from "../topic/Workflow.ts"
import type { WebhookMention, WebhookNoticeKind } from "./WebhookNotices.ts"

/** `desk`: a creator's link to all open requests. `undeliverable`: tells the partner's contact that a request did not arrive. */
export type MailKind = NoticeKind | WebhookNoticeKind | "desk" | "undeliverable"

export interface Mail {
  /** Stable, and the base of the Message-ID: queuing the same one again changes nothing. */
  readonly id: string
  readonly kind: MailKind
  /** The assignment that it is about; null for a desk link, and where it is about a webhook. */
  readonly shareId: ShareId | null
  /** What happened to a webhook. Kept here, for it is true whatever becomes of the webhook. */
  readonly webhook?: WebhookMention
  readonly organizationId: OrganizationId | null
  /** Fixed for a desk link; else found when the mail is sent, so that a changed address counts. */
  readonly address: string | null
  readonly createdAt: Instant
  /** Which attempt this is. An attempt that never ended, because its process died, is not counted. */
  readonly attempts: number
  /** Which claim this is: a report under an older one is ignored. */
  readonly ticket: number
  /** Earlier attempts that sent the whole mail and got no answer. */
  readonly unanswered: number
}

/** A mail to queue. */
export type NewMail = Omit<Mail, "attempts" | "ticket" | "unanswered">

/** The id of an assignment's mail for one occasion. */
export const noticeId = (shareId: ShareId, occasion: string): string => `${shareId}.${occasion}`

/** Between the id of a mail and what tells its repetition from it. */
export const repeated = ".again-"

/** Delays between attempts; the last one repeats until the mail window closes. */
const delays = [Duration.minutes(1), Duration.minutes(5), Duration.minutes(15), Duration.hours(1), Duration.hours(2)]

const delayAfter = (attempts: number): number =>
  Duration.toMillis(delays[Math.min(attempts, delays.length) - 1] ?? Duration.minutes(1))

/** The delays that the attempts so far were followed by. */
const delayed = (attempts: number): number =>
  Array.from({ length: attempts - 1 }, (_, index) => delayAfter(index + 1)).reduce((sum, delay) => sum + delay, 0)

/**
 * When to try again after a temporary refusal; null when the window has closed. Time in which no attempt was made, since no
 * worker ran, does not count.
 */
export const retryAt = (mail: Mail, now: Instant, window: Duration.Duration): Instant | null => {
  const delay = delayAfter(mail.attempts)
  const elapsed = Math.min(now - mail.createdAt, delayed(mail.attempts))
  return elapsed + delay < Duration.toMillis(window) ? now + delay : null
}

/** Long enough that a slow server has finished with the first copy. */
const unansweredDelay = Duration.hours(1)

/** No mail waits longer after so many attempts. */
export const longestDelays = delays.map((delay) => Duration.max(delay, unansweredDelay))

/**
 * When to send a mail again that went out whole and got no answer: it may have arrived. One more attempt, under the same
 * Message-ID, is made after an hour; null after that.
 */
export const retryUnansweredAt = (mail: Mail, now: Instant): Instant | null =>
  mail.unanswered === 0 ? now + Duration.toMillis(unansweredDelay) : null
