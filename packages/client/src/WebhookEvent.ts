/** Event types, as `verifyWebhook` returns them. */
import type { AssignmentStatus, Commentary, FailureReason, OutcomeSummary, TopicStatus } from "./Topic.ts"
import type { Metadata, Open, Timestamp } from "./Wire.ts"

interface Event<Type extends string, Data> {
  /** The id is the same on every attempt. Store the id to ignore repeated events. */
  readonly id: string
  readonly type: Type
  readonly timestamp: Timestamp
  /**
   * The sequence number increases with every event of an assignment. Ignore events that arrive late with a lower
   * number. The number is 1 for `topic.completed`.
   */
  readonly sequence: number
  readonly data: Data
}

interface Subject {
  readonly topic_id: string
  readonly external_reference: string | null
  readonly metadata: Metadata
  /** The topic's status after this event. */
  readonly topic: { readonly status: Open<TopicStatus>; readonly summary: OutcomeSummary }
}

interface Part extends Subject {
  readonly share_id: string
  readonly persona: { readonly id: string; readonly name: string }
  readonly status: Open<AssignmentStatus>
}

/** A creator approved a commentary, which is included. */
export type CreatorApproved = Event<"creator.approved", Part & { readonly commentary: Commentary }>

/** You accepted an approved commentary for publication. */
export type PartnerApproved = Event<"partner.approved", Part & { readonly commentary: Commentary }>

/** No commentary will come for this persona. */
export type CommentaryFailed = Event<"commentary.failed", Part & { readonly reason: Open<FailureReason> }>

/** The audio or video of an approved commentary is ready: `commentary` has its URL. */
export type MediaReady = Event<
  "media.ready",
  Part & { readonly output_type: Open<"audio" | "video">; readonly commentary: Commentary }
>

/** Every persona's part in the topic is approved or has failed. Each topic has this event once. */
export type TopicCompleted = Event<"topic.completed", Subject>

/**
 * The events of `events.list`, whether or not a webhook received them. A newer service may list other types: ignore
 * them.
 */
export type PastEvent = CreatorApproved | PartnerApproved | CommentaryFailed | MediaReady | TopicCompleted

/** The event that `webhooks.test` sends. */
export type WebhookTested = Event<"webhook.test", { readonly [key: string]: unknown }>

/**
 * The event types are distinguished by `type`. A newer service may send unlisted types: answer them with 2xx and ignore
 * them.
 */
export type WebhookEvent = PastEvent | WebhookTested
