/** What arrives at a webhook, once `verifyWebhook` has found it genuine. */
import type { Commentary, FailureReason, PersonaStatus } from "./Topic.ts"
import type { Metadata, Open, Timestamp } from "./Wire.ts"

interface Event<Type extends string, Data> {
  /** The same on every attempt: remember it, and do nothing the second time. */
  readonly id: string
  readonly type: Type
  readonly timestamp: Timestamp
  /** Increases with every event about one persona's part: a late one with a lower number is older news. */
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
}

/** A creator approved a commentary: it is ready to fetch, and here. */
export type CreatorApproved = Event<"creator.approved", Part & { readonly commentary: Commentary }>

/** You accepted an approved commentary for publication. */
export type PartnerApproved = Event<"partner.approved", Part & { readonly commentary: Commentary }>

/** No commentary will come of this persona's part. */
export type CommentaryFailed = Event<"commentary.failed", Part & { readonly reason: Open<FailureReason> }>

/** What `events.list` shows: what was sent to webhooks, or would have been. */
export type PastEvent = CreatorApproved | PartnerApproved | CommentaryFailed

/** What `webhooks.test` sends. */
export type WebhookTested = Event<"webhook.test", { readonly [key: string]: unknown }>

/**
 * Told apart by `type`. A newer service may send types that are not listed here; they come through as they are, so
 * answer 2xx and ignore what you don't know.
 */
export type WebhookEvent = PastEvent | WebhookTested
