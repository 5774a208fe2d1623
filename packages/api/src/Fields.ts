/** Defines the fields that several resources share, with their descriptions. */

import { approvingTestPersona } from "@partner-commentary/core/persona/TestPersonas"
import { AssignmentStatus as DomainAssignmentStatus, FailureReason } from "@partner-commentary/core/topic/Assignment"
import { OutputType } from "@partner-commentary/core/topic/Topic"
import * as Topics from "@partner-commentary/core/topic/TopicStatus"
import * as Schema from "effect/Schema"
import { makeTextSchema, makeUrlSchema, schemaKeywordsAnnotation } from "./Documented.ts"

export const Timestamp = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601, UTC, with milliseconds.",
  examples: ["2026-01-30T12:00:00.000Z"]
})

/** Returns a timestamp schema with the given description and example. */
export const makeTimestampSchema = (description: string, example: string) =>
  Timestamp.annotate({ description, examples: [example] })

export const Uuid = Schema.String.annotate({ format: "uuid", examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"] })

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const makeCountSchema = (description: string, example: number) =>
  Count.annotate({ description, examples: [example] })

/** All examples of the API description use the same ids. */
export const TopicId = Uuid.annotate({ description: "The topic's id." })

export const PersonaId = Uuid.annotate({
  description: "The persona's id.",
  examples: [approvingTestPersona.id]
})

export const ShareId = Uuid.annotate({
  description: "The id of the assignment of the topic to this persona.",
  examples: ["019c0e1b-7c51-7000-8000-94d0b7f3a6e2"]
})

export const CommentaryId = Uuid.annotate({
  description: "The commentary's id.",
  examples: ["019c0e5f-03aa-7000-8000-c8b2e4f61d37"]
})

export const PersonaName = makeTextSchema("The persona's display name.", approvingTestPersona.name)

export const PersonaImage = makeUrlSchema(
  "The URL of the persona's picture.",
  "https://img.example.org/avery-approves.jpg"
)

export const ExternalReference = makeTextSchema(
  "Your own identifier of the topic. Omitted if you sent none.",
  "article-4711"
)

export const TopicContent = makeTextSchema(
  "The topic's text, trimmed.",
  "Will the Lakers make the play-offs this season?"
)

export const CreatedAt = makeTimestampSchema("When the topic was created: ISO 8601, UTC.", "2026-01-30T12:00:00.000Z")

export const Metadata = Schema.Record(Schema.String, Schema.Json).annotate({
  description: "Your own data, as you sent it. `{}` if you sent none.",
  examples: [{ article: "4711", section: "basketball" }],
  // Without `additionalProperties`, client generators would generate a type without fields.
  [schemaKeywordsAnnotation]: { additionalProperties: true }
})

export const OutputTypes = Schema.Array(OutputType).annotate({
  description: "The requested output types.",
  examples: [["text"]]
})

export const TopicWebhookIds = Schema.Array(Uuid.annotate({ description: "A webhook's id." })).annotate({
  description: "The webhooks that receive this topic's events. Omitted if all of them do.",
  examples: [["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]]
})

export const TopicStatus = Topics.TopicStatus.annotate({
  description:
    "`pending`: waiting for creators; `in_progress`: at least one commentary is in progress; `partial`: some commentaries are ready; `completed`: no further commentary will come.",
  examples: ["completed"]
})

export const AssignmentStatus = DomainAssignmentStatus.annotate({
  description:
    "`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being generated; `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and `expired`: no commentary will come.",
  examples: ["creator_approved"]
})

export const OutcomeStatus = Schema.Literals(["completed", "pending", "failed"]).annotate({
  description:
    "`completed`: the commentary is ready; `pending`: it may still come; `failed`: no commentary will come, see `failure`.",
  examples: ["completed"]
})

/** The reason why no commentary will come for an assignment, and the time of the failure. */
export const AssignmentFailure = Schema.NullOr(
  Schema.Struct({
    reason: FailureReason.annotate({
      description:
        "`declined` and `withdrawn`: by the creator; `expired`: no answer in time; `generation_failed`: no draft could be generated; `approval_timeout`: no approval in time; `cancelled`: your organization cancelled the topic before the creator answered.",
      examples: ["declined"]
    }),
    at: makeTimestampSchema("When the assignment failed: ISO 8601, UTC.", "2026-01-30T15:10:00.000Z")
  }).annotate({ identifier: "Failure", description: "Why no commentary will come." })
).annotate({ description: "Why no commentary will come. Null if one came or still can.", examples: [null] })

export const CommentaryContent = makeTextSchema(
  "The approved text.",
  "They will, but only just: the defence has woken up, and nobody wants to meet them in April."
)

export const AudioUrl = Schema.NullOr(
  makeUrlSchema("The URL of the audio.", "https://media.example.org/019c0e5f.mp3")
).annotate({
  description: "The audio of the approved text. Null until it is ready.",
  examples: [null]
})

export const VideoUrl = Schema.NullOr(
  makeUrlSchema("The URL of the video.", "https://media.example.org/019c0e5f.mp4")
).annotate({
  description: "The video of the approved text. Null until it is ready.",
  examples: [null]
})

export const ApprovedAt = makeTimestampSchema(
  "When the creator approved the commentary: ISO 8601, UTC.",
  "2026-01-30T16:42:11.000Z"
)

/** The time when the partner accepted the commentary; null before the acceptance. */
export const PartnerApprovedAt = Schema.NullOr(Timestamp).annotate({
  description: "When your organization accepted the commentary for publication. Null before.",
  examples: ["2026-02-01T14:00:00.000Z"]
})

export const Commentary = Schema.Struct({
  id: CommentaryId,
  content: CommentaryContent,
  audio_url: AudioUrl,
  video_url: VideoUrl,
  approved_at: ApprovedAt,
  partner_approved_at: PartnerApprovedAt
}).annotate({ identifier: "Commentary", description: "A commentary that its creator approved." })

export const OutcomeSummary = Schema.Struct({
  total_personas: makeCountSchema("The number of personas of the topic.", 1),
  completed: makeCountSchema("Personas whose commentary is ready.", 1),
  pending: makeCountSchema("Personas whose commentary may still come.", 0),
  failed: makeCountSchema("Personas without a commentary, because their assignment failed.", 0)
}).annotate({ identifier: "OutcomeSummary", description: "The number of personas by result." })

export const progressSummaryDescription =
  "The number of personas by status. A failed persona counts under the status that it keeps: a cancelled persona counts in `topic_sent`, even if the topic is completed."
