/** What the mails about webhooks say, to the contact of the organization whose they are. Pure: when they go out is decided elsewhere. */
import { utcDate } from "../creator/Notices.ts"
import { clip, type NoticeParts, type NoticeText, oneLine, write } from "../mail/NoticeText.ts"
import type { WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { EventType } from "./EventType.ts"

/** `webhook_moved`: its URL was changed. */
export type WebhookNoticeKind = "webhook_added" | "webhook_moved"

/** What a mail needs to know of what was done: hosts alone, for the rest of a URL may hold a secret of the receiver's. */
export interface WebhookMention {
  readonly id: WebhookId
  readonly host: string
  /** Null for a new one. */
  readonly formerHost: string | null
  readonly events: ReadonlyArray<EventType>
  /** Of the key that did it: enough to recognize, not to use. */
  readonly keyPrefix: string
}

/** Partners learn of it on another way than by the API, for whoever got hold of a key of theirs would not tell them. */
export const webhookNotice = (context: {
  readonly kind: WebhookNoticeKind
  readonly webhook: WebhookMention
  readonly organizationName: string
  readonly at: Instant
}): NoticeText => {
  const { at, webhook } = context
  const organization = oneLine(context.organizationName)
  const host = oneLine(webhook.host)
  return write({
    ...letters[context.kind](organization, host),
    quote: null,
    facts: [
      ...(webhook.formerHost === null
        ? [["Sent to", host] as const]
        : [["Sent to before", oneLine(webhook.formerHost)] as const, ["Sent to now", host] as const]),
      ["Events", webhook.events.join(", ")],
      ["Webhook", webhook.id],
      ["Done at", utcDate(at)],
      ["With the API key", `${webhook.keyPrefix}…`]
    ],
    action: null,
    after: [
      `If somebody at ${organization} did this, you need not do anything.`,
      `If nobody did, somebody else has this API key: revoke the key at once, then delete the webhook (DELETE /webhooks/${webhook.id}) with another key, and tell us.`,
      `You get this mail because you are the contact of ${organization}. Only the name of the server is shown, and made unclickable on purpose.`
    ]
  })
}

const letters: Readonly<
  Record<
    WebhookNoticeKind,
    (organization: string, host: string) => Pick<NoticeParts, "subject" | "title" | "paragraphs">
  >
> = {
  webhook_added: (organization, host) => ({
    subject: `A webhook was added: ${clip(organization, 30)}’s events go to ${clip(host, 45)}`,
    title: "A webhook was added",
    paragraphs: [`From now on, events about ${organization}’s commentaries are also sent to the server named below.`]
  }),
  webhook_moved: (organization, host) => ({
    subject: `A webhook was changed: ${clip(organization, 30)}’s events go to ${clip(host, 45)}`,
    title: "The address of a webhook was changed",
    paragraphs: [
      `From now on, events about ${organization}’s commentaries that this webhook carries are sent to another address.`
    ]
  })
}
