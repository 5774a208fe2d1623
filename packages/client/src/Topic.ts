/** Wire types of topics, as in the service's openapi.json. Unknown fields of a newer service are kept. */
import type { ErrorDetails } from "./Errors.ts"
import type { Metadata, Open, Timestamp } from "./Wire.ts"

export type OutputType = "text" | "audio" | "video"

/**
 * `pending`: waiting for creators; `in_progress`: at least one works; `partial`: some commentaries are ready;
 * `completed`: no further commentary will come.
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

/** The result of one persona's assignment. `failed`: no commentary will come for this persona. */
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
  /** A short question, statement or prompt: 10 to 500 characters after trimming. */
  readonly content: string
  /** 1 to 100 persona ids. Use one topic for several personas, not several topics. */
  readonly persona_ids: ReadonlyArray<string>
  /** Your own name for the topic: 1 to 256 letters, digits, `-`, `_`, `.` and `:`. Topics may share a reference. */
  readonly external_reference?: string
  /** Default: `["text"]`. Text is always produced, whatever the list contains. */
  readonly output_types?: ReadonlyArray<OutputType>
  /** Responses and webhooks return these data. */
  readonly metadata?: Metadata
  /** Only these of your webhooks receive the topic's events. Default: all of them. An empty list stands for none. */
  readonly webhook_ids?: ReadonlyArray<string>
  /** The deadline for responses: ISO 8601 with a time zone, 1 hour to 14 days ahead. Default: 48 hours from the mail. */
  readonly respond_by?: Timestamp
}

/** The result for one requested persona. `status` determines the other fields. */
export type SubmissionResult =
  /** The topic was sent to the creator. `share_id` identifies the assignment. */
  | { readonly persona_id: string; readonly status: "sent"; readonly share_id: string; readonly duplicate_of?: never }
  /** There is no active license for the persona. */
  | {
      readonly persona_id: string
      readonly status: "not_licensed"
      readonly share_id?: never
      readonly duplicate_of?: never
    }
  /**
   * The same topic was sent within 24 hours, or 60 seconds with a test key. `duplicate_of` names the earlier topic and
   * assignment.
   */
  | {
      readonly persona_id: string
      readonly status: "duplicate"
      readonly share_id?: never
      readonly duplicate_of: { readonly topic_id: string; readonly share_id: string }
    }

/** A new topic. */
export interface Topic {
  readonly topic_id: string
  readonly external_reference?: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<Open<OutputType>>
  /** The webhooks that receive the topic's events; absent if all of them do. */
  readonly webhook_ids?: ReadonlyArray<string>
  /** Number of personas that the topic was sent to. */
  readonly personas_sent: number
  /** The results in the order of `persona_ids`. */
  readonly results: ReadonlyArray<SubmissionResult>
  readonly status: "pending"
  readonly created_at: Timestamp
}

/** The reason why no commentary will come, and the time of the failure. */
export interface Failure {
  readonly reason: Open<FailureReason>
  readonly at: Timestamp
}

/** The minimal view for polling. */
export interface TopicProgress {
  readonly topic_id: string
  readonly external_reference?: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<Open<OutputType>>
  readonly overall_status: Open<TopicStatus>
  readonly created_at: Timestamp
  readonly personas: ReadonlyArray<{
    readonly share_id: string
    readonly persona_id: string
    readonly persona_name: string
    readonly status: Open<AssignmentStatus>
    readonly status_updated_at: Timestamp
    /** True if the commentary is ready to fetch. */
    readonly has_commentary: boolean
    readonly failure: Failure | null
    /** The creator's deadline to answer or approve; null while no creator has to act. */
    readonly expires_at: Timestamp | null
  }>
  /** Number of personas by status. */
  readonly summary: { readonly total: number } & { readonly [Status in AssignmentStatus]: number }
}

/** An approved text, with media if requested and ready. */
export interface Commentary {
  readonly id: string
  readonly content: string
  readonly audio_url: string | null
  readonly video_url: string | null
  /** The time at which the creator approved the commentary. */
  readonly approved_at: Timestamp
  /** The time at which you accepted the commentary for publication; null before. */
  readonly partner_approved_at: Timestamp | null
}

/** The result of one persona's assignment. */
export interface Outcome {
  readonly share_id: string
  readonly persona_id: string
  readonly persona_name: string
  readonly persona_image: string
  readonly status: Open<OutcomeStatus>
  /** The commentary is null unless the status is `completed`. */
  readonly commentary: Commentary | null
  /** The failure is null unless the status is `failed`. */
  readonly failure: Failure | null
}

/** Number of personas by result. */
export interface OutcomeSummary {
  readonly total_personas: number
  readonly completed: number
  readonly pending: number
  readonly failed: number
}

/** A topic with all results, in the order of submission. */
export interface TopicDetail {
  readonly topic_id: string
  readonly external_reference?: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<Open<OutputType>>
  /** The webhooks that receive the topic's events; absent if all of them do. */
  readonly webhook_ids?: ReadonlyArray<string>
  readonly status: Open<TopicStatus>
  readonly created_at: Timestamp
  readonly commentaries: ReadonlyArray<Outcome>
  readonly summary: OutcomeSummary
}

/** The topic with only its approved commentaries. */
export interface TopicCommentaries {
  readonly topic_id: string
  readonly external_reference?: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<Open<OutputType>>
  readonly commentaries: ReadonlyArray<CommentaryEntry>
}

/**
 * All topics with one `external_reference`, newest first. `topic_id`, `content` and `metadata` are the newest topic's.
 */
export interface ReferenceLookup {
  readonly external_reference: string
  readonly topic_id: string
  readonly content: string
  readonly metadata: Metadata
  /** The requested output types. */
  readonly output_types: ReadonlyArray<Open<OutputType>>
  readonly commentaries: ReadonlyArray<
    Outcome & {
      readonly topic_id: string
      readonly topic_content: string
      readonly created_at: Timestamp
    }
  >
  readonly summary: OutcomeSummary
  /**
   * True when older topics with this reference are omitted. At most 100 topics with 1,000 entries together are
   * returned.
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
  readonly output_types: ReadonlyArray<Open<OutputType>>
  readonly status: Open<TopicStatus>
  readonly commentaries_ready: number
  readonly total_personas: number
  readonly created_at: Timestamp
}

/** Why one topic of `createMany` was rejected. Field paths have the form `topics[3].content`. */
export type BulkRefusal = {
  [Code in "invalid_request" | "no_valid_personas" | "rate_limit_exceeded"]: {
    readonly code: Code
    readonly message: string
    readonly details: ErrorDetails[Code]
  }
}["invalid_request" | "no_valid_personas" | "rate_limit_exceeded"]

/** The result for one topic of `createMany`. */
export type BulkResult =
  | { readonly index: number; readonly status: "created"; readonly topic: Topic }
  | { readonly index: number; readonly status: "refused"; readonly error: BulkRefusal }

/** The results in the order of the request. */
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
  /** The time at which you accepted the commentary for publication; null before. */
  readonly partner_approved_at: Timestamp | null
}

/** A commentary that you accepted for publication. */
export interface AcceptedCommentary extends CommentaryEntry {
  readonly topic_id: string
  readonly share_id: string
  /** The time at which you first accepted the commentary. This time never changes. */
  readonly partner_approved_at: Timestamp
}
