/** The fields that several resources share, with the words that describe them. */
import { FailureReason } from "@partner-commentary/core/topic/Assignment"
import * as Topics from "@partner-commentary/core/topic/TopicStatus"
import * as Schema from "effect/Schema"

export const Timestamp = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601, UTC, with milliseconds.",
  examples: ["2026-01-30T12:00:00.000Z"]
})

export const Uuid = Schema.String.annotate({ format: "uuid", examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"] })

export const ShareId = Schema.String.annotate({
  format: "uuid",
  description: "The assignment: this persona's part in this topic.",
  examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b11"]
})

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const Metadata = Schema.Record(Schema.String, Schema.Json).annotate({
  description: "The partner's own data, returned as it was sent; `{}` when none was sent."
})

export const TopicStatus = Topics.TopicStatus.annotate({
  description:
    "`pending`: waiting for creators; `in_progress`: at least one works; `partial`: some commentaries are ready; `completed`: nothing more will come."
})

export const OutcomeStatus = Schema.Literals(["completed", "pending", "failed"])

/** Why an assignment was settled without a commentary. */
export const Failure = Schema.NullOr(
  Schema.Struct({
    reason: FailureReason,
    at: Timestamp
  })
).annotate({ description: "Set when no commentary will come, and why." })

/** Null until the partner accepts it. */
export const PartnerApprovedAt = Schema.NullOr(Timestamp).annotate({
  description: "When your organization accepted the commentary for publication; null before.",
  examples: ["2026-02-01T14:00:00.000Z"]
})

export const Commentary = Schema.Struct({
  id: Uuid,
  content: Schema.String,
  audio_url: Schema.NullOr(Schema.String),
  video_url: Schema.NullOr(Schema.String),
  partner_approved_at: PartnerApprovedAt
}).annotate({ identifier: "Commentary" })

export const OutcomeSummary = Schema.Struct({
  total_personas: Count,
  completed: Count,
  pending: Count,
  failed: Count
})
