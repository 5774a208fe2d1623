/**
 * Combines notices about webhooks into mails: at most one mail per organization in five minutes. An organization's
 * first notice is sent immediately. Later notices are collected in the next mail, which shows the last state of each
 * webhook and the hosts that its URL had in between. The limit of one mail in five minutes prevents a flood of mails,
 * and the next mail reports all changes. The functions in this file are pure; the store queues the mails.
 */
import * as Duration from "effect/Duration"
import type { NewMail } from "../mail/Mail.ts"
import type { WebhookNoticeData, WebhookNoticeKind } from "../mail/WebhookNotices.ts"
import type { OrganizationId, WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"

export interface WebhookContactNotice {
  readonly organizationId: OrganizationId
  readonly kind: WebhookNoticeKind
  readonly webhook: WebhookNoticeData
  readonly at: Instant.Instant
}

const bucketLength = Duration.minutes(5)

/**
 * The maximum number of webhooks in one mail. An organization has at most 20 webhooks, so the mail omits only removed
 * webhooks.
 */
export const maxMentionedWebhooks = 40

/** The maximum number of hosts that a mail shows for a webhook in addition to its first and last host. */
const passedAtMost = 10

export const calculateNoticePeriodNumber = (at: Instant.Instant): number =>
  Instant.calculatePeriodNumber(at, bucketLength)

/**
 * Returns a mail with one notice for a five-minute period. The mail is due immediately, or at the start of the period
 * if the period has not begun.
 */
export const makeNoticeMail = (
  bucket: number,
  { at, kind, organizationId, webhook }: WebhookContactNotice
): NewMail => ({
  id: `${organizationId}.webhooks-${bucket}`,
  kind,
  shareId: null,
  webhook: { ...webhook, kind, at: Instant.toIso(at) },
  organizationId,
  address: null,
  createdAt: Math.max(at, bucket * Duration.toMillis(bucketLength))
})

/**
 * Adds a mention of a webhook to the mail. A mention of failures replaces an earlier mention of the webhook's failures.
 * A mention of a change is merged with an earlier mention of the webhook's changes.
 */
export const addWebhookMention = (
  present: WebhookNoticeData,
  { at, kind, webhook }: WebhookContactNotice
): WebhookNoticeData => {
  const mentions = listNoticeWebhooks(present)
  const next = { ...webhook, kind, at: Instant.toIso(at) }
  const isAlike = (one: WebhookNoticeData) => one.id === next.id && isTrouble(one) === isTrouble(next)
  const former = mentions.find(isAlike)
  const others = mentions.filter((one) => !isAlike(one))
  return together(
    [...others, former === undefined || isTrouble(next) ? next : mergeMentions(former, next)],
    present.omitted
  )
}

/** If the mail has more than `maxMentionedWebhooks` mentions, drops the oldest mentions of removed webhooks. */
export const dropRemovedWebhookMentions = (
  present: WebhookNoticeData,
  isRemoved: (id: WebhookId) => boolean
): WebhookNoticeData => {
  const mentions = listNoticeWebhooks(present)
  const excess = new Set(mentions.filter(({ id }) => isRemoved(id)).slice(0, mentions.length - maxMentionedWebhooks))
  const kept = mentions.filter((one) => !excess.has(one))
  return together(kept, (present.omitted ?? 0) + excess.size)
}

/** Returns the webhooks that the mail mentions, oldest mention first. */
export const listNoticeWebhooks = ({
  further = [],
  omitted: _,
  ...first
}: WebhookNoticeData): ReadonlyArray<WebhookNoticeData> => [first, ...further]

const together = ([first, ...further]: ReadonlyArray<WebhookNoticeData>, omitted = 0): WebhookNoticeData => ({
  ...(first as WebhookNoticeData),
  ...(further.length === 0 ? {} : { further }),
  ...(omitted === 0 ? {} : { omitted })
})

const isTrouble = ({ trouble }: WebhookNoticeData): boolean => trouble !== undefined

/**
 * Merges two changes of one webhook into one mention. The merged mention has the first and last host of the URL, the
 * hosts in between, and the prefixes of all keys.
 */
const mergeMentions = (former: WebhookNoticeData, next: WebhookNoticeData): WebhookNoticeData => {
  const passed = [...(former.passed ?? []), former.host].filter((host) => host !== next.host)
  return {
    ...next,
    ...(former.kind === undefined ? {} : { kind: former.kind }),
    formerHost: former.formerHost,
    passed: [...new Set(passed)].slice(-passedAtMost),
    keyPrefix: [...new Set([...(former.keyPrefix ?? "").split(keySeparator), next.keyPrefix ?? ""])].join(keySeparator)
  }
}

const keySeparator = "…, "
