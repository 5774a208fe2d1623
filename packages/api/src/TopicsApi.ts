/** Topics as partners submit, follow and fetch them. */
import { AssignmentStatus } from "@partner-commentary/core/topic/Assignment"
import { maxPersonas, OutputType, referencePattern } from "@partner-commentary/core/topic/Topic"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, OwnLimit, RequiredScope } from "./ApiKeyAuth.ts"
import { Ok } from "./Envelope.ts"
import { InvalidRequest, NotFound, NoValidPersonas, SubmissionResult } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"

/** What an external reference must be, wherever one is given. */
export const referenceConstraint =
  "must be 1 to 256 characters out of A-Z, a-z, 0-9, '-', '_', '.' and ':', and neither '.' nor '..'"

/** The body of POST /topics as it is sent. Lengths are judged by the service, which may be set otherwise than by default. */
export const CreateTopic = Schema.Struct({
  content: Schema.String.annotate({
    description: "The topic: a short question, statement or prompt; 10 to 500 characters after trimming.",
    examples: ["Will the Lakers make the play-offs?"]
  }),
  persona_ids: Schema.Array(
    Schema.String.check(
      Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, { message: "must be a UUID" })
    ).annotate({ format: "uuid" })
  ).check(
    Schema.isMinLength(1, { message: "must hold at least one persona id" }),
    Schema.isMaxLength(maxPersonas, { message: `must hold at most ${maxPersonas} persona ids` })
  ),
  external_reference: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(referencePattern, { message: referenceConstraint }))
  ),
  output_types: Schema.optionalKey(
    Schema.Array(OutputType.annotate({ message: "must be text, audio or video" })).check(
      Schema.isMinLength(1, { message: "must name at least one output type" }),
      Schema.isMaxLength(3, { message: "must name each output type once at most" }),
      Schema.isUnique({ message: "must name each output type once at most" })
    )
  ),
  metadata: Schema.optionalKey(Fields.Metadata)
}).annotate({ identifier: "CreateTopic" })

export const Topic = Schema.Struct({
  topic_id: Fields.Uuid,
  external_reference: Schema.optionalKey(Schema.String),
  content: Schema.String,
  metadata: Fields.Metadata,
  personas_sent: Fields.Count,
  results: Schema.Array(SubmissionResult).annotate({ description: "In the order of `persona_ids`." }),
  status: Schema.Literal("pending"),
  created_at: Fields.Timestamp
}).annotate({ identifier: "Topic" })

export const TopicProgress = Schema.Struct({
  topic_id: Fields.Uuid,
  content: Schema.String,
  overall_status: Fields.TopicStatus,
  created_at: Fields.Timestamp,
  personas: Schema.Array(
    Schema.Struct({
      share_id: Fields.ShareId,
      persona_id: Fields.Uuid,
      persona_name: Schema.String,
      status: AssignmentStatus,
      status_updated_at: Fields.Timestamp,
      has_commentary: Schema.Boolean,
      failure: Fields.Failure
    })
  ),
  summary: Schema.Struct({
    total: Fields.Count,
    topic_sent: Fields.Count,
    opinion_injected: Fields.Count,
    commentary_generated: Fields.Count,
    creator_approved: Fields.Count,
    declined: Fields.Count,
    expired: Fields.Count
  })
}).annotate({ identifier: "TopicProgress" })

const entry = {
  share_id: Fields.ShareId,
  persona_id: Fields.Uuid,
  persona_name: Schema.String,
  persona_image: Schema.String,
  status: Fields.OutcomeStatus,
  commentary: Schema.NullOr(Fields.Commentary),
  failure: Fields.Failure
}

export const TopicDetail = Schema.Struct({
  topic_id: Fields.Uuid,
  external_reference: Schema.optionalKey(Schema.String),
  content: Schema.String,
  metadata: Fields.Metadata,
  status: Fields.TopicStatus,
  created_at: Fields.Timestamp,
  commentaries: Schema.Array(Schema.Struct(entry)),
  summary: Fields.OutcomeSummary
}).annotate({ identifier: "TopicDetail" })

export const TopicCommentaries = Schema.Struct({
  topic_id: Fields.Uuid,
  content: Schema.String,
  commentaries: Schema.Array(
    Schema.Struct({
      commentary_id: Fields.Uuid,
      persona: Schema.Struct({ id: Fields.Uuid, name: Schema.String, image_url: Schema.String }),
      content: Schema.String,
      audio_url: Schema.NullOr(Schema.String),
      video_url: Schema.NullOr(Schema.String),
      partner_approved_at: Fields.PartnerApprovedAt
    })
  )
}).annotate({ identifier: "TopicCommentaries" })

export const ReferenceLookup = Schema.Struct({
  external_reference: Schema.String,
  topic_id: Fields.Uuid,
  content: Schema.String,
  metadata: Fields.Metadata,
  commentaries: Schema.Array(
    Schema.Struct({
      topic_id: Fields.Uuid,
      topic_content: Schema.String,
      ...entry,
      created_at: Fields.Timestamp
    })
  ),
  summary: Fields.OutcomeSummary,
  truncated: Schema.Boolean.annotate({ description: "True when more than the 100 newest topics carry the reference." })
}).annotate({ identifier: "ReferenceLookup" })

export const TopicSummary = Schema.Struct({
  topic_id: Fields.Uuid,
  content: Schema.String,
  status: Fields.TopicStatus,
  commentaries_ready: Fields.Count,
  total_personas: Fields.Count,
  created_at: Fields.Timestamp
}).annotate({ identifier: "TopicSummary" })

export const TopicList = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Array(TopicSummary),
  pagination: Schema.Struct({
    limit: Schema.Int,
    offset: Schema.Int,
    total: Fields.Count,
    next_cursor: Schema.NullOr(Schema.String).annotate({
      description: "Send it as `cursor` for the next page; null on the last."
    })
  })
}).annotate({ identifier: "TopicList" })

/** Query values arrive as text; what they must be is judged by the service, all at once. */
const listQuery = {
  status: Schema.optionalKey(Schema.String),
  limit: Schema.optionalKey(Schema.String),
  offset: Schema.optionalKey(Schema.String),
  cursor: Schema.optionalKey(Schema.String)
}

const id = { id: Schema.String.annotate({ description: "The topic's id." }) }

export class TopicsApi extends HttpApiGroup.make("topics")
  .add(
    HttpApiEndpoint.post("create", "/topics", {
      headers: IdempotencyHeaders,
      payload: CreateTopic,
      success: HttpApiSchema.status(201)(Ok(Topic)),
      error: NoValidPersonas
    })
      .annotate(RequiredScope, "topics:submit")
      .annotate(OwnLimit, "topic_submissions_per_hour"),
    HttpApiEndpoint.get("list", "/topics", { query: listQuery, success: TopicList }).annotate(
      RequiredScope,
      "topics:read"
    ),
    HttpApiEndpoint.get("find", "/topics/:id", { params: id, success: Ok(TopicDetail), error: NotFound })
      .annotate(RequiredScope, "topics:read")
      .annotate(OwnLimit, "topic_reads_per_hour"),
    HttpApiEndpoint.get("progress", "/topics/:id/status", {
      params: id,
      success: Ok(TopicProgress),
      error: NotFound
    }).annotate(RequiredScope, "topics:read"),
    HttpApiEndpoint.get("commentaries", "/topics/:id/commentaries", {
      params: id,
      success: Ok(TopicCommentaries),
      error: NotFound
    }).annotate(RequiredScope, "topics:read"),
    HttpApiEndpoint.get("byReference", "/topics/by-reference/:ref", {
      params: { ref: Schema.String.annotate({ description: "The external reference given at creation." }) },
      success: Ok(ReferenceLookup),
      error: [InvalidRequest, NotFound]
    }).annotate(RequiredScope, "topics:read")
  )
  .middleware(ApiKeyAuth) {}
