/**
 * Combines notices about webhooks into at most one mail per organization in five minutes. The service sends the first
 * notice at once and collects later notices in the next mail, so floods of changes cause few mails. The mail shows each
 * webhook's last state and its intermediate hosts. The functions are pure, and the store queues the mails.
 */
import * as Duration from "effect/Duration"
import type { NewMail } from "../mail/Mail.ts"
import type { WebhookMention, WebhookNoticeKind } from "../mail/WebhookNotices.ts"
import type { OrganizationId, WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"

export interface ContactNotice {
  readonly organizationId: OrganizationId
  readonly kind: WebhookNoticeKind
  readonly webhook: WebhookMention
  readonly at: Instant.Instant
}

const bucketLength = Duration.minutes(5)

/**
 * Maximum number of webhooks in one mail. An organization has at most 20 webhooks, so the limit omits only removed
 * webhooks.
 */
export const mentionedAtMost = 40

/** Maximum number of intermediate hosts that a mail shows for a webhook. */
const passedAtMost = 10

export const noticePeriodOf = (at: Instant.Instant): number => Instant.bucketOf(at, bucketLength)

/** Returns a new mail with only this notice. The mail is due at once, or at the start of its five-minute period. */
export const mailIn = (bucket: number, { at, kind, organizationId, webhook }: ContactNotice): NewMail => ({
  id: `${organizationId}.webhooks-${bucket}`,
  kind,
  shareId: null,
  webhook: { ...webhook, kind, at: Instant.toIso(at) },
  organizationId,
  address: null,
  createdAt: Math.max(at, bucket * Duration.toMillis(bucketLength))
})

/** Adds a webhook to the mail. The new entry replaces an earlier entry with the same webhook and kind. */
export const withNotice = (present: WebhookMention, { at, kind, webhook }: ContactNotice): WebhookMention => {
  const mentions = webhooksOfNotice(present)
  const next = { ...webhook, kind, at: Instant.toIso(at) }
  const isAlike = (one: WebhookMention) => one.id === next.id && isTrouble(one) === isTrouble(next)
  const former = mentions.find(isAlike)
  const others = mentions.filter((one) => !isAlike(one))
  return together([...others, former === undefined || isTrouble(next) ? next : joined(former, next)], present.omitted)
}

/** Removes the oldest entries of removed webhooks when the mail contains too many webhooks. */
export const shortened = (present: WebhookMention, isRemoved: (id: WebhookId) => boolean): WebhookMention => {
  const mentions = webhooksOfNotice(present)
  const excess = new Set(mentions.filter(({ id }) => isRemoved(id)).slice(0, mentions.length - mentionedAtMost))
  const kept = mentions.filter((one) => !excess.has(one))
  return together(kept, (present.omitted ?? 0) + excess.size)
}

/** Returns the webhooks of a mail, oldest entry first. */
export const webhooksOfNotice = ({
  further = [],
  omitted: _,
  ...first
}: WebhookMention): ReadonlyArray<WebhookMention> => [first, ...further]

const together = ([first, ...further]: ReadonlyArray<WebhookMention>, omitted = 0): WebhookMention => ({
  ...(first as WebhookMention),
  ...(further.length === 0 ? {} : { further }),
  ...(omitted === 0 ? {} : { omitted })
})

const isTrouble = ({ trouble }: WebhookMention): boolean => trouble !== undefined

/**
 * Merges two changes of one webhook into one entry with the first host, the last host, the hosts between, and all keys.
 */
const joined = (former: WebhookMention, next: WebhookMention): WebhookMention => {
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
