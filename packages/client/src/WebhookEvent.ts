/** Event types, as `verifyWebhook` returns them. */
import type { Commentary, FailureReason, OutcomeSummary, PersonaStatus, TopicStatus } from "./Topic.ts"
import type { Metadata, Open, Timestamp } from "./Wire.ts"

interface Event<Type extends string, Data> {
  /** The id is the same on every attempt. Store the id to ignore repeated events. */
  readonly id: string
  readonly type: Type
  readonly timestamp: Timestamp
  /**
   * The sequence number increases with every event of an assignment. Ignore events that arrive late with a lower
   * number.
   */
  readonly sequence: number
  readonly data: Data
}

interface Part {
  readonly topic_id: string
  readonly external_reference: string | null
  readonly metadata: Metadata
  readonly share_id: string
  readonly persona: { readonly id: string; readonly name: string }
  readonly status: Open<PersonaStatus>
  /** The topic's status after this event. */
  readonly topic: { readonly status: Open<TopicStatus>; readonly summary: OutcomeSummary }
}

/** A creator approved a commentary, which is included. */
export type CreatorApproved = Event<"creator.approved", Part & { readonly commentary: Commentary }>

/** You accepted an approved commentary for publication. */
export type PartnerApproved = Event<"partner.approved", Part & { readonly commentary: Commentary }>

/** No commentary will come for this persona. */
export type CommentaryFailed = Event<"commentary.failed", Part & { readonly reason: Open<FailureReason> }>

/** The events of `events.list`, whether or not a webhook received them. */
export type PastEvent = CreatorApproved | PartnerApproved | CommentaryFailed

/** The event that `webhooks.test` sends. */
export type WebhookTested = Event<"webhook.test", { readonly [key: string]: unknown }>

/**
 * The event types are distinguished by `type`. A newer service may send unlisted types: answer them with 2xx and ignore
 * them.
 */
export type WebhookEvent = PastEvent | WebhookTested
