/** Types of the events that webhooks receive and `events.list` returns. */
import type { AssignmentStatus, Commentary, FailureReason, OutcomeSummary, TopicStatus } from "./Topic.ts"
import type { Metadata, OpenEnum, Timestamp } from "./Wire.ts"

interface Event<Type extends string, Data> {
  /** The event's id, which is the same for every attempt. Store the id to detect repeated events. */
  readonly id: string
  readonly type: Type
  readonly timestamp: Timestamp
  /**
   * The sequence number of the event, which increases with every event of an assignment. Ignore an event if you already
   * handled an event of the same assignment with a higher number. The sequence number of a `topic.completed` event is
   * always 1.
   */
  readonly sequence: number
  readonly data: Data
}

interface Subject {
  readonly topic_id: string
  readonly external_reference: string | null
  readonly metadata: Metadata
  /** The topic's status and counts after the event. */
  readonly topic: { readonly status: OpenEnum<TopicStatus>; readonly summary: OutcomeSummary }
}

interface Part extends Subject {
  readonly share_id: string
  readonly persona: { readonly id: string; readonly name: string }
  readonly status: OpenEnum<AssignmentStatus>
}

/** A creator approved a commentary. The event contains the commentary. */
export type CreatorApproved = Event<"creator.approved", Part & { readonly commentary: Commentary }>

/** You accepted an approved commentary for publication. */
export type PartnerApproved = Event<"partner.approved", Part & { readonly commentary: Commentary }>

/** The assignment has failed, so no commentary will come for this persona. */
export type CommentaryFailed = Event<"commentary.failed", Part & { readonly reason: OpenEnum<FailureReason> }>

/** The audio or video of an approved commentary is ready. `commentary` contains the URL of the audio or video. */
export type MediaReady = Event<
  "media.ready",
  Part & { readonly output_type: OpenEnum<"audio" | "video">; readonly commentary: Commentary }
>

/** Every assignment of the topic is approved or has failed. Each topic has the event `topic.completed` once. */
export type TopicCompleted = Event<"topic.completed", Subject>

/**
 * An event that `events.list` returns, whether or not a webhook received the event. A newer service may return unknown
 * types: ignore these events.
 */
export type PastEvent = CreatorApproved | PartnerApproved | CommentaryFailed | MediaReady | TopicCompleted

/** The event that `webhooks.test` sends. */
export type WebhookTested = Event<"webhook.test", { readonly [key: string]: unknown }>

/**
 * `type` distinguishes the types of events. A newer service may send unknown types: answer these events with 2xx and
 * ignore them.
 */
export type WebhookEvent = PastEvent | WebhookTested
