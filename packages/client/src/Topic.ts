/**
 * Wire types of topics, which match the service's openapi.json. The client does not remove fields that a newer service
 * adds.
 */
import type { ErrorDetails } from "./Errors.ts"
import type { Metadata, OpenEnum, Timestamp } from "./Wire.ts"

export type CommentaryOutputType = "text" | "audio" | "video"

/**
 * A topic is `pending` until a creator answers, and `in_progress` until a commentary is ready. A topic is `partial`
 * while some commentaries are ready, and `completed` when no further commentary will come.
 */
export type TopicStatus = "pending" | "in_progress" | "partial" | "completed"

/**
 * The status of one persona's assignment. Only `creator_approved` has a commentary. `creator_approved`, `declined` and
 * `expired` are final.
 */
export type AssignmentStatus =
  | "topic_sent"
  | "opinion_injected"
  | "commentary_generated"
  | "creator_approved"
  | "declined"
  | "expired"

/** The result of one persona's assignment. The result is `failed` when no commentary will come for the persona. */
export type OutcomeStatus = "completed" | "pending" | "failed"

export type FailureReason =
  | "declined"
  | "expired"
  | "generation_failed"
  | "approval_timeout"
  | "withdrawn"
  | "cancelled"

/** A topic to submit. */
export interface CreateTopic {
  /** The content is a short question, statement or prompt of 10 to 500 characters after trimming. */
  readonly content: string
  /** The ids of 1 to 100 personas. To reach several personas, send one topic in one call instead of several topics. */
  readonly persona_ids: ReadonlyArray<string>
  /**
   * Your own name for the topic, with 1 to 256 letters, digits, `-`, `_`, `.` and `:`. Several topics may have the same
   * reference.
   */
  readonly external_reference?: string
  /**
   * The requested output types, by default `["text"]`. The service always produces text, even if the list omits `text`.
   */
  readonly output_types?: ReadonlyArray<CommentaryOutputType>
  /** Your own data, which responses and webhooks return. */
  readonly metadata?: Metadata
  /**
   * The ids of the webhooks that receive the topic's events. By default, all your webhooks receive the events. With an
   * empty list, no webhook receives the events.
   */
  readonly webhook_ids?: ReadonlyArray<string>
  /**
   * The deadline for creators' responses, 1 hour to 14 days ahead, in ISO 8601 with a time zone. By default, the
   * deadline is 48 hours after the request mail.
   */
  readonly respond_by?: Timestamp
}

/** The result for one requested persona. `status` determines which other fields are present. */
export type SubmissionResult =
  /** The topic was sent to the creator. `share_id` identifies the assignment. */
  | { readonly persona_id: string; readonly status: "sent"; readonly share_id: string; readonly duplicate_of?: never }
  /** You have no active license for the persona. */
  | {
      readonly persona_id: string
      readonly status: "not_licensed"
      readonly share_id?: never
      readonly duplicate_of?: never
    }
  /**
   * You sent the same topic to the persona within the last 24 hours, or within 60 seconds with a test key.
   * `duplicate_of` identifies the earlier topic and assignment.
   */
  | {
      readonly persona_id: string
      readonly status: "duplicate"
      readonly share_id?: never
      readonly duplicate_of: { readonly topic_id: string; readonly share_id: string }
    }

/** The response to the submission of a topic. */
export interface Topic {
  readonly topic_id: string
  readonly external_reference?: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<OpenEnum<CommentaryOutputType>>
  /** The webhooks that receive the topic's events; absent if all your webhooks receive the events. */
  readonly webhook_ids?: ReadonlyArray<string>
  /** The number of personas to which the topic was sent. */
  readonly personas_sent: number
  /** The results for the requested personas, in the order of `persona_ids`. */
  readonly results: ReadonlyArray<SubmissionResult>
  readonly status: "pending"
  readonly created_at: Timestamp
}

/** The reason why no commentary will come, and the time of the failure. */
export interface AssignmentFailure {
  readonly reason: OpenEnum<FailureReason>
  readonly at: Timestamp
}

/** The minimal view of a topic for polling. */
export interface TopicProgress {
  readonly topic_id: string
  readonly external_reference?: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<OpenEnum<CommentaryOutputType>>
  readonly overall_status: OpenEnum<TopicStatus>
  readonly created_at: Timestamp
  readonly personas: ReadonlyArray<{
    readonly share_id: string
    readonly persona_id: string
    readonly persona_name: string
    readonly status: OpenEnum<AssignmentStatus>
    readonly status_updated_at: Timestamp
    /** True if the commentary is ready to fetch. */
    readonly has_commentary: boolean
    readonly failure: AssignmentFailure | null
    /** The creator's deadline to answer or to approve the draft; null while the creator need not act. */
    readonly expires_at: Timestamp | null
  }>
  /** The number of personas for each status of an assignment. */
  readonly summary: { readonly total: number } & { readonly [Status in AssignmentStatus]: number }
}

/** An approved commentary text, with the URLs of the requested audio and video as soon as they are ready. */
export interface Commentary {
  readonly id: string
  readonly content: string
  readonly audio_url: string | null
  readonly video_url: string | null
  /** The time at which the creator approved the commentary. */
  readonly approved_at: Timestamp
  /** The time at which you accepted the commentary for publication; null until then. */
  readonly partner_approved_at: Timestamp | null
}

/** The result of one persona's assignment. */
export interface AssignmentOutcome {
  readonly share_id: string
  readonly persona_id: string
  readonly persona_name: string
  readonly persona_image: string
  readonly status: OpenEnum<OutcomeStatus>
  /** The commentary is null unless the status is `completed`. */
  readonly commentary: Commentary | null
  /** The failure is null unless the status is `failed`. */
  readonly failure: AssignmentFailure | null
}

/** The number of personas for each result of an assignment. */
export interface OutcomeSummary {
  readonly total_personas: number
  readonly completed: number
  readonly pending: number
  readonly failed: number
}

/** A topic with the results of all personas, in the order of submission. */
export interface TopicDetail {
  readonly topic_id: string
  readonly external_reference?: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<OpenEnum<CommentaryOutputType>>
  /** The webhooks that receive the topic's events; absent if all your webhooks receive the events. */
  readonly webhook_ids?: ReadonlyArray<string>
  readonly status: OpenEnum<TopicStatus>
  readonly created_at: Timestamp
  readonly commentaries: ReadonlyArray<AssignmentOutcome>
  readonly summary: OutcomeSummary
}

/** The topic with only its approved commentaries. */
export interface TopicCommentaries {
  readonly topic_id: string
  readonly external_reference?: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<OpenEnum<CommentaryOutputType>>
  readonly commentaries: ReadonlyArray<CommentaryEntry>
}

/**
 * All topics with the same `external_reference`, newest first. `topic_id`, `content` and `metadata` belong to the
 * newest topic.
 */
export interface ReferenceLookup {
  readonly external_reference: string
  readonly topic_id: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<OpenEnum<CommentaryOutputType>>
  readonly commentaries: ReadonlyArray<
    AssignmentOutcome & {
      readonly topic_id: string
      readonly topic_content: string
      readonly created_at: Timestamp
    }
  >
  readonly summary: OutcomeSummary
  /**
   * True if the response omits older topics with the external reference. The response contains at most 100 topics, and
   * at most 1,000 entries of all topics together.
   */
  readonly truncated: boolean
}

/** A topic in a list. */
export interface TopicSummary {
  readonly topic_id: string
  readonly external_reference?: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<OpenEnum<CommentaryOutputType>>
  readonly status: OpenEnum<TopicStatus>
  readonly commentaries_ready: number
  readonly total_personas: number
  readonly created_at: Timestamp
}

type BulkErrorCode = "invalid_request" | "no_valid_personas" | "rate_limit_exceeded"

/** The reason for the rejection of one topic of `createMany`. Field paths have the form `topics[3].content`. */
export type BulkTopicRefusal = {
  [Code in BulkErrorCode]: {
    readonly code: Code
    readonly message: string
    readonly details: ErrorDetails[Code]
  }
}[BulkErrorCode]

/** The result for one topic of `createMany`. */
export type BulkResult =
  | { readonly index: number; readonly status: "created"; readonly topic: Topic }
  | { readonly index: number; readonly status: "refused"; readonly error: BulkTopicRefusal }

/** The results for the topics, in the order of the request. */
export interface BulkResults {
  readonly results: ReadonlyArray<BulkResult>
}

/** An approved commentary. */
export interface CommentaryEntry {
  readonly commentary_id: string
  readonly persona: { readonly id: string; readonly name: string; readonly image_url: string }
  readonly content: string
  readonly audio_url: string | null
  readonly video_url: string | null
  /** The time at which the creator approved the commentary. */
  readonly approved_at: Timestamp
  /** The time at which you accepted the commentary for publication; null until then. */
  readonly partner_approved_at: Timestamp | null
}

/** A commentary that you accepted for publication. */
export interface PartnerApprovedCommentary extends CommentaryEntry {
  readonly topic_id: string
  readonly share_id: string
  /**
   * The time at which you first accepted the commentary for publication. A repeated acceptance does not change
   * `partner_approved_at`.
   */
  readonly partner_approved_at: Timestamp
}
