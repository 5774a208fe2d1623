/** Composes mails about webhooks to the contact of the webhook's organization. All functions are pure. */

import type { WebhookId } from "../shared/Ids.ts"
import { fromIso, type Instant } from "../shared/Instant.ts"
import { formatUtcDateTime } from "./CreatorNotices.ts"
import { clipText, type NoticeContent, type RenderedNotice, renderNotice, toOneLine } from "./NoticeText.ts"

/**
 * The kinds of mails about webhooks. `webhook_moved`: the webhook's URL was changed. `webhook_failing`: the webhook
 * will be disabled if failures continue. `webhook_throttled`: the receiver answers 429, so events arrive late.
 */
export type WebhookNoticeKind =
  | "webhook_added"
  | "webhook_moved"
  | "webhook_failing"
  | "webhook_disabled"
  | "webhook_throttled"

export const isWebhookNotice = (kind: string): kind is WebhookNoticeKind => kind.startsWith("webhook_")

/** The data of a mail about a change of a webhook. The mail shows only the host, because a URL may contain a secret. */
export interface WebhookNoticeData {
  readonly id: WebhookId
  readonly host: string
  /** The host before the change; null for a new webhook. */
  readonly formerHost: string | null
  readonly events: ReadonlyArray<string>
  /** The prefix of the API key that made the change, or of several keys; null when the service made the change. */
  readonly keyPrefix: string | null
  /** The failed deliveries that the mail reports; absent for a mail about an added or changed webhook. */
  readonly trouble?: {
    readonly failures: number
    /** The time of the first failure. */
    readonly since: string
    /** The reason of the last failure. */
    readonly reason: string
    /** True if the receiver answered 410 (Gone). */
    readonly gone: boolean
    /** The time at which deliveries continue after a 429 response. */
    readonly until?: string
  }
  /** The kind and time of this change. The defaults are the mail's kind and the time of the mail's creation. */
  readonly kind?: WebhookNoticeKind
  readonly at?: string
  /** The webhook's hosts between the former host and the current host, if its URL changed several times. */
  readonly passed?: ReadonlyArray<string>
  /** Further changes in the same mail, oldest first. `omitted` is the number of changes that the mail does not list. */
  readonly further?: ReadonlyArray<WebhookNoticeData>
  readonly omitted?: number
}

/** Composes a mail about a webhook. The mail reveals changes that an attacker makes with a stolen API key. */
export const composeWebhookNotice = (context: {
  readonly kind: WebhookNoticeKind
  readonly webhook: WebhookNoticeData
  readonly organizationName: string
  readonly at: Instant
}): RenderedNotice => {
  const { webhook } = context
  const organization = toOneLine(context.organizationName)
  if (webhook.further !== undefined) return digest(organization, context.kind, webhook, webhook.further, context.at)
  const at = webhook.at === undefined ? context.at : fromIso(webhook.at)
  const host = toOneLine(webhook.host)
  if (webhook.trouble?.until !== undefined)
    return throttleNotice(organization, host, webhook, { ...webhook.trouble, until: webhook.trouble.until }, at)
  if (webhook.trouble !== undefined)
    return troubleNotice(organization, host, webhook, webhook.trouble, at, context.kind === "webhook_disabled")
  return renderNotice({
    ...letters[context.kind === "webhook_moved" ? "webhook_moved" : "webhook_added"](organization, host),
    quote: null,
    facts: [
      ...(webhook.formerHost === null
        ? [["Sent to", host] as const]
        : [["Sent to before", toOneLine(webhook.formerHost)] as const, ["Sent to now", host] as const]),
      ...between(webhook.passed),
      ["Events", webhook.events.join(", ")],
      ["Webhook", webhook.id],
      ["Done at", formatUtcDateTime(at)],
      ["With the API key", `${webhook.keyPrefix ?? ""}…`]
    ],
    action: null,
    after: [
      `If somebody at ${organization} did this, you need not do anything.`,
      `If nobody did, somebody else has this API key: revoke the key at once, then delete the webhook (DELETE /webhooks/${webhook.id}) with another key, and tell us.`,
      `You get this mail because you are the contact of ${organization}. Only the name of the server is shown, and made unclickable on purpose.`
    ]
  })
}

const between = (passed: ReadonlyArray<string> = []): ReadonlyArray<readonly [string, string]> =>
  passed.length === 0 ? [] : [["In between", passed.map(toOneLine).join(", ")]]

const labels: Readonly<Record<WebhookNoticeKind, string>> = {
  webhook_added: "Added",
  webhook_moved: "Address changed",
  webhook_failing: "Failing",
  webhook_disabled: "Disabled",
  webhook_throttled: "Throttled"
}

/** Composes a mail about several changes, with one line for each webhook and kind of change. */
const digest = (
  organization: string,
  kind: WebhookNoticeKind,
  first: WebhookNoticeData,
  further: ReadonlyArray<WebhookNoticeData>,
  at: Instant
): RenderedNotice => {
  const mentions = [first, ...further]
  const total = mentions.length + (first.omitted ?? 0)
  const line = (one: WebhookNoticeData) =>
    [
      one.trouble === undefined
        ? [one.formerHost, ...(one.passed ?? []), one.host]
            .flatMap((host) => (host === null ? [] : [toOneLine(host)]))
            .join(" → ")
        : `${toOneLine(one.host)}: ${toOneLine(one.trouble.reason)}`,
      `webhook ${one.id}`,
      formatUtcDateTime(one.at === undefined ? at : fromIso(one.at)),
      ...(one.keyPrefix === null ? [] : [`API key ${one.keyPrefix}…`])
    ].join("; ")
  return renderNotice({
    subject: `${total} notices about webhooks of ${clipText(organization, 60)}`,
    title: "Several notices about your webhooks",
    paragraphs: [
      `This happened to ${organization}’s webhooks since our last mail about them. Each is named once, with its present server last.`
    ],
    quote: null,
    facts: [
      ...mentions.map((one) => [labels[one.kind ?? kind], line(one)] as const),
      ...(first.omitted === undefined ? [] : [["Left out, of removed webhooks", String(first.omitted)] as const])
    ],
    action: null,
    after: [
      `If somebody at ${organization} made these changes, you need not do anything about them.`,
      "If nobody did, somebody else has the API key: revoke the key at once, then look at GET /webhooks with another key, delete what you do not know, and tell us.",
      "Of a webhook that fails, GET /webhooks/{id}/deliveries shows what its server answers. Nothing is lost for 30 days.",
      `You get this mail because you are the contact of ${organization}. Only the names of servers are shown, and made unclickable on purpose.`
    ]
  })
}

const letters: Readonly<
  Record<
    "webhook_added" | "webhook_moved",
    (organization: string, host: string) => Pick<NoticeContent, "subject" | "title" | "paragraphs">
  >
> = {
  webhook_added: (organization, host) => ({
    subject: `A webhook was added: ${clipText(organization, 30)}’s events go to ${clipText(host, 45)}`,
    title: "A webhook was added",
    paragraphs: [`From now on, events about ${organization}’s commentaries are also sent to the server named below.`]
  }),
  webhook_moved: (organization, host) => ({
    subject: `A webhook was changed: ${clipText(organization, 30)}’s events go to ${clipText(host, 45)}`,
    title: "The address of a webhook was changed",
    paragraphs: [
      `From now on, events about ${organization}’s commentaries that this webhook carries are sent to another address.`
    ]
  })
}

/** Composes a warning before a failing webhook is disabled, or a report that the webhook was disabled. */
const troubleNotice = (
  organization: string,
  host: string,
  { events, id }: WebhookNoticeData,
  { failures, gone, reason, since }: NonNullable<WebhookNoticeData["trouble"]>,
  at: Instant,
  disabled: boolean
): RenderedNotice => {
  const backAgain = `PATCH /webhooks/${id} with {"status": "active"}`
  return renderNotice({
    subject: disabled
      ? `A webhook was disabled: ${clipText(organization, 30)}’s events no longer go to ${clipText(host, 40)}`
      : `A webhook is failing: ${clipText(organization, 30)}’s events do not reach ${clipText(host, 45)}`,
    title: disabled ? "A webhook was disabled" : "A webhook is failing",
    paragraphs: [
      gone
        ? "The server named below answered with 410, which says that it is gone for good. We send it nothing more."
        : disabled
          ? "The server named below has not taken a single event for so long that we send it nothing more."
          : "The server named below does not take the events that we send. We keep trying; if it goes on like this for too long, the webhook will be disabled."
    ],
    quote: null,
    facts: [
      ["Server", host],
      ["Events", events.join(", ")],
      ["Webhook", id],
      ["Failed attempts in a row", String(failures)],
      ["Failing since", formatUtcDateTime(fromIso(since))],
      [disabled ? "Disabled at" : "As of", formatUtcDateTime(at)],
      ["The last time", toOneLine(reason)]
    ],
    action: null,
    after: [
      disabled
        ? `Nothing is lost for 30 days: mend the server, then make the webhook active again (${backAgain}), and what was held goes out, oldest first.`
        : `Nothing is lost: each event is tried again for about three days. POST /webhooks/${id}/test shows at any time what the server answers.`,
      `You get this mail because you are the contact of ${organization}. Only the name of the server is shown, and made unclickable on purpose.`
    ]
  })
}

const throttleNotice = (
  organization: string,
  host: string,
  { events, id }: WebhookNoticeData,
  { reason, since, until }: { readonly reason: string; readonly since: string; readonly until: string },
  at: Instant
): RenderedNotice =>
  renderNotice({
    subject: `A webhook is throttled: ${clipText(organization, 30)}’s events reach ${clipText(host, 40)} late`,
    title: "A webhook is throttled",
    paragraphs: [
      "The server named below answers with 429, “too many requests”. We send it nothing until the moment that it names, and wait longer each time that it answers so again. Its events arrive late."
    ],
    quote: null,
    facts: [
      ["Server", host],
      ["Events", events.join(", ")],
      ["Webhook", id],
      ["Throttled since", formatUtcDateTime(fromIso(since))],
      ["As of", formatUtcDateTime(at)],
      ["Next attempt", formatUtcDateTime(fromIso(until))],
      ["The last time", toOneLine(reason)]
    ],
    action: null,
    after: [
      `The events wait, and lose none of their attempts. Let the server take more requests. To try at once, retry one of its deliveries. If the server takes nothing for about three days, events that have waited that long are given up: POST /webhooks/${id}/recover sends them again for 30 days.`,
      `You get this mail because you are the contact of ${organization}. Only the name of the server is shown, and made unclickable on purpose.`
    ]
  })
