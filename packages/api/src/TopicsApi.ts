/** Defines the operations on topics: submit, list, fetch, poll, cancel. */

import { externalReferencePattern } from "@partner-commentary/core/topic/Topic"
import { TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  ApiKeyAuth,
  EndpointConcurrencyPool,
  EndpointRateLimit,
  RequiredScope,
  SupportsConditionalRequests,
  SupportsWaitPreference
} from "./ApiKeyAuth.ts"
import { CreateTopicBody, referenceConstraint } from "./CreateTopicBody.ts"
import {
  documentIntegerParameter,
  makeLiteralParameter,
  makeTextParameter,
  schemaKeywordsAnnotation
} from "./Documented.ts"
import { SuccessEnvelope, SuccessFlag } from "./Envelope.ts"
import { ExampleErrors } from "./ErrorGuide.ts"
import { InvalidRequest, NotFound, NoValidPersonas, SubmissionResult } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"
import { topicsGroupAnnotations } from "./TopicsGroup.ts"

export const Topic = Schema.Struct({
  topic_id: Fields.TopicId,
  external_reference: Schema.optionalKey(Fields.ExternalReference),
  content: Fields.TopicContent,
  metadata: Fields.Metadata,
  output_types: Fields.OutputTypes,
  webhook_ids: Schema.optionalKey(Fields.TopicWebhookIds),
  personas_sent: Fields.makeCountSchema("The number of personas that the topic is sent to.", 1),
  results: Schema.Array(SubmissionResult).annotate({
    description: "One result for each requested persona, in the order of `persona_ids`."
  }),
  status: Schema.Literal("pending").annotate({ description: "Always `pending` for a new topic." }),
  created_at: Fields.CreatedAt
}).annotate({ identifier: "Topic", description: "The created topic." })

export const TopicProgress = Schema.Struct({
  topic_id: Fields.TopicId,
  external_reference: Schema.optionalKey(Fields.ExternalReference),
  content: Fields.TopicContent,
  metadata: Fields.Metadata,
  output_types: Fields.OutputTypes,
  overall_status: Fields.TopicStatus,
  created_at: Fields.CreatedAt,
  personas: Schema.Array(
    Schema.Struct({
      share_id: Fields.ShareId,
      persona_id: Fields.PersonaId,
      persona_name: Fields.PersonaName,
      status: Fields.AssignmentStatus,
      status_updated_at: Fields.makeTimestampSchema(
        "When the status last changed: ISO 8601, UTC.",
        "2026-01-30T16:42:11.000Z"
      ),
      has_commentary: Schema.Boolean.annotate({
        description: "True if the commentary is ready to fetch.",
        examples: [true]
      }),
      failure: Fields.AssignmentFailure,
      expires_at: Schema.NullOr(
        Fields.makeTimestampSchema("The deadline: ISO 8601, UTC.", "2026-01-31T12:00:00.000Z")
      ).annotate({
        description:
          "The creator's deadline to answer, or to approve the draft: ISO 8601, UTC. Null while no creator has to act, and after the final status. Without `respond_by`, it is the latest possible deadline until the request mail is handed over, which sets the deadline. Each new draft sets a new deadline.",
        examples: ["2026-01-31T12:00:00.000Z"]
      })
    }).annotate({ identifier: "PersonaProgress", description: "The status of one persona." })
  ).annotate({ description: "One entry for each persona of the topic, in the order of submission." }),
  summary: Schema.Struct({
    total: Fields.makeCountSchema("All personas of the topic.", 1),
    topic_sent: Fields.makeCountSchema("Waiting for the creator.", 0),
    opinion_injected: Fields.makeCountSchema("The creator has answered, and the draft is being generated.", 0),
    commentary_generated: Fields.makeCountSchema("Waiting for the creator's approval.", 0),
    creator_approved: Fields.makeCountSchema("Ready to fetch.", 1),
    declined: Fields.makeCountSchema("Declined by the creator.", 0),
    expired: Fields.makeCountSchema("Not answered in time.", 0)
  }).annotate({ identifier: "ProgressSummary", description: Fields.progressSummaryDescription })
}).annotate({ identifier: "TopicProgress", description: "The status of a topic and of each of its personas." })

const entry = {
  share_id: Fields.ShareId,
  persona_id: Fields.PersonaId,
  persona_name: Fields.PersonaName,
  persona_image: Fields.PersonaImage,
  status: Fields.OutcomeStatus,
  commentary: Schema.NullOr(Fields.Commentary).annotate({
    description: "The commentary. Null unless the status is `completed`."
  }),
  failure: Fields.AssignmentFailure
}

export const TopicDetail = Schema.Struct({
  topic_id: Fields.TopicId,
  external_reference: Schema.optionalKey(Fields.ExternalReference),
  content: Fields.TopicContent,
  metadata: Fields.Metadata,
  output_types: Fields.OutputTypes,
  webhook_ids: Schema.optionalKey(Fields.TopicWebhookIds),
  status: Fields.TopicStatus,
  created_at: Fields.CreatedAt,
  commentaries: Schema.Array(
    Schema.Struct(entry).annotate({ identifier: "TopicEntry", description: "The result of one persona." })
  ).annotate({ description: "One entry for each persona of the topic, in the order of submission." }),
  summary: Fields.OutcomeSummary
}).annotate({ identifier: "TopicDetail", description: "A topic with the results of all its personas." })

export const TopicCommentaries = Schema.Struct({
  topic_id: Fields.TopicId,
  external_reference: Schema.optionalKey(Fields.ExternalReference),
  content: Fields.TopicContent,
  metadata: Fields.Metadata,
  output_types: Fields.OutputTypes,
  commentaries: Schema.Array(
    Schema.Struct({
      commentary_id: Fields.CommentaryId,
      persona: Schema.Struct({
        id: Fields.PersonaId,
        name: Fields.PersonaName,
        image_url: Fields.PersonaImage
      }).annotate({ identifier: "CommentaryPersona", description: "The persona of the commentary." }),
      content: Fields.CommentaryContent,
      audio_url: Fields.AudioUrl,
      video_url: Fields.VideoUrl,
      approved_at: Fields.ApprovedAt,
      partner_approved_at: Fields.PartnerApprovedAt
    }).annotate({ identifier: "CommentaryEntry", description: "One commentary with its persona." })
  ).annotate({ description: "Only the commentaries that are ready. Empty if there are none." })
}).annotate({ identifier: "TopicCommentaries", description: "A topic's ready commentaries." })

export const ReferenceLookup = Schema.Struct({
  external_reference: Fields.ExternalReference.annotate({ description: "The requested reference." }),
  topic_id: Fields.TopicId.annotate({ description: "The newest topic with this reference." }),
  content: Fields.TopicContent.annotate({ description: "The newest topic's text." }),
  metadata: Fields.Metadata.annotate({ description: "The newest topic's metadata." }),
  output_types: Fields.OutputTypes.annotate({ description: "The newest topic's output types." }),
  commentaries: Schema.Array(
    Schema.Struct({
      topic_id: Fields.TopicId,
      topic_content: Fields.TopicContent,
      ...entry,
      created_at: Fields.makeTimestampSchema(
        "When the assignment was created: ISO 8601, UTC.",
        "2026-01-30T12:00:00.000Z"
      )
    }).annotate({ identifier: "ReferenceEntry", description: "The result of one persona in one of the topics." })
  ).annotate({ description: "The entries of all topics with this reference, newest topic first." }),
  summary: Fields.OutcomeSummary,
  truncated: Schema.Boolean.annotate({
    description: "True if there are older topics with this reference, which the response omits.",
    examples: [false]
  })
}).annotate({ identifier: "ReferenceLookup", description: "The results of all topics with one reference." })

export const TopicSummary = Schema.Struct({
  topic_id: Fields.TopicId,
  external_reference: Schema.optionalKey(Fields.ExternalReference),
  content: Fields.TopicContent,
  metadata: Fields.Metadata,
  output_types: Fields.OutputTypes,
  status: Fields.TopicStatus,
  commentaries_ready: Fields.makeCountSchema("The number of commentaries that are ready to fetch.", 1),
  total_personas: Fields.makeCountSchema("The number of personas of the topic.", 1),
  created_at: Fields.CreatedAt
}).annotate({ identifier: "TopicSummary", description: "A topic in a list." })

/** The limits of the paging parameters of the topic list. */
export const topicListBounds = { defaultLimit: 20, maxLimit: 100, maxOffset: 10_000 }

const cursor = "MjAyNi0wMS0zMFQxMjowMDowMC4wMDBaIDAxOWMwZTFiLTdjNGUtNzAwMC04MDAwLTJmNmQxYzllNGIxMA"

export const TopicList = Schema.Struct({
  success: SuccessFlag,
  data: Schema.Array(TopicSummary).annotate({ description: "The topics of this page." }),
  pagination: Schema.Struct({
    limit: Fields.makeCountSchema("The number of entries on a page.", topicListBounds.defaultLimit),
    offset: Fields.makeCountSchema("The number of skipped topics. 0 with a cursor.", 0),
    total: Fields.makeCountSchema(
      "The number of topics on all pages. With other filters than `status`, at most 10000 are counted.",
      1
    ),
    next_cursor: Schema.NullOr(Schema.String).annotate({
      description: "Send it as `cursor` to get the next page. Null on the last page.",
      examples: [null]
    })
  }).annotate({ identifier: "Pagination", description: "The position of this page in the list." })
}).annotate({ identifier: "TopicList", description: "One page of topics." })

/**
 * All combinations of topic statuses, shortest first. The topic statuses of a combination have the order of the
 * workflow.
 */
const statusLists = Array.from({ length: 2 ** TopicStatus.literals.length - 1 }, (_, set) =>
  TopicStatus.literals.filter((__, place) => Math.floor((set + 1) / 2 ** place) % 2 === 1)
)
  .toSorted((one, other) => one.length - other.length)
  .map((list) => list.join())

const moment = (description: string) =>
  makeTextParameter({ description, example: "2026-01-30T12:00:00Z", format: "date-time" })

/** The query schema accepts any text, so that the service can report all problems in one response. */
const listQuery = {
  status: makeLiteralParameter(statusLists, {
    description: "Only topics with this status, or with one of several statuses, separated by commas.",
    example: "completed"
  }),
  external_reference: makeTextParameter({
    description: "Only topics with this reference. Not together with `status`.",
    example: "article-4711",
    minLength: 1,
    maxLength: 256,
    pattern: externalReferencePattern.source
  }),
  created_after: moment("Only topics that were created after this time: ISO 8601 with a time zone."),
  created_before: moment("Only topics that were created before this time: ISO 8601 with a time zone."),
  updated_after: moment(
    "Only topics that changed after this time, in the order of their last change: ISO 8601 with a time zone. Not together with another filter. A change can appear some seconds late: to follow every change, read `GET /events` with `after`."
  ),
  order: makeLiteralParameter(["asc", "desc"], {
    description: "`desc`, the default, lists the newest topic first, `asc` the oldest.",
    example: "desc"
  }),
  limit: documentIntegerParameter({
    description: "The number of entries on a page.",
    example: topicListBounds.defaultLimit,
    minimum: 1,
    maximum: topicListBounds.maxLimit,
    default: topicListBounds.defaultLimit
  }),
  offset: documentIntegerParameter({
    description:
      "The number of topics to skip, not together with `cursor`. To page further than the maximum, follow `pagination.next_cursor`.",
    example: 0,
    minimum: 0,
    maximum: topicListBounds.maxOffset,
    default: 0
  }),
  cursor: makeTextParameter({
    description: "The `pagination.next_cursor` of the previous page.",
    example: cursor,
    maxLength: 128
  })
}

const id = { id: Fields.TopicId }

export class TopicsApi extends HttpApiGroup.make("topics")
  .add(
    HttpApiEndpoint.post("create", "/topics", {
      headers: IdempotencyHeaders,
      payload: CreateTopicBody,
      success: HttpApiSchema.status(201)(SuccessEnvelope(Topic)),
      error: NoValidPersonas
    })
      .annotate(RequiredScope, "topics:submit")
      .annotate(EndpointRateLimit, "topic_submissions_per_hour")
      .annotate(EndpointConcurrencyPool, "frequent")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "createTopic",
          summary: "Create a topic",
          description:
            "Sends a topic to the creators of the chosen personas. The response comes at once, with one result for each persona: `sent`, `not_licensed`, or `duplicate` if the persona already received the same topic within 24 hours. Send one topic to several personas in one request, then poll its status every 30 to 60 seconds, or register a webhook. Allow 24 to 48 hours for human review."
        })
      ),
    HttpApiEndpoint.get("list", "/topics", { query: listQuery, success: TopicList })
      .annotate(RequiredScope, "topics:read")
      .annotate(SupportsConditionalRequests, true)
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listTopics",
          summary: "List topics",
          description:
            "Lists your organization's topics, newest first unless `order` or `updated_after` says otherwise. Page by `limit` and `offset`, or follow `pagination.next_cursor`, which has no maximum depth and never skips a topic. With `updated_after`, use `order=asc`, because a topic that changes moves in the list."
        })
      ),
    HttpApiEndpoint.get("find", "/topics/:id", { params: id, success: SuccessEnvelope(TopicDetail), error: NotFound })
      .annotate(RequiredScope, "topics:read")
      .annotate(SupportsConditionalRequests, true)
      .annotate(EndpointRateLimit, "topic_reads_per_hour")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getTopic",
          summary: "Get a topic",
          description: "Returns a topic with an entry for each persona, the commentaries that are ready, and a summary."
        })
      ),
    HttpApiEndpoint.get("progress", "/topics/:id/status", {
      params: id,
      success: SuccessEnvelope(TopicProgress),
      error: NotFound
    })
      .annotate(RequiredScope, "topics:read")
      .annotate(SupportsConditionalRequests, true)
      .annotate(SupportsWaitPreference, true)
      .annotate(EndpointConcurrencyPool, "frequent")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getTopicStatus",
          summary: "Poll a topic's status",
          description:
            "Returns the status of the topic and of each of its personas. Poll this operation every 30 to 60 seconds, because it is cheaper than the others. Stop when `overall_status` is `completed`: no further commentary will come."
        })
      ),
    HttpApiEndpoint.post("cancel", "/topics/:id/cancel", {
      params: id,
      headers: IdempotencyHeaders,
      success: SuccessEnvelope(TopicProgress),
      error: NotFound
    })
      .annotate(RequiredScope, "topics:submit")
      .annotate(EndpointConcurrencyPool, "large")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "cancelTopic",
          summary: "Cancel a topic",
          description:
            "Cancels the assignment of each persona whose creator has not answered yet. Its `status` stays the same and its `failure.reason` becomes `cancelled`. The creator gets a mail, the reserved commentary returns to your quota, and the event `commentary.failed` is sent. Assignments with an answer continue. If there are none, `topic.completed` follows. The response shows the status of the topic afterwards. A repeated call changes nothing."
        })
      ),
    HttpApiEndpoint.get("commentaries", "/topics/:id/commentaries", {
      params: id,
      success: SuccessEnvelope(TopicCommentaries),
      error: NotFound
    })
      .annotate(RequiredScope, "topics:read")
      .annotate(SupportsConditionalRequests, true)
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getTopicCommentaries",
          summary: "Get a topic's commentaries",
          description:
            "Returns only the commentaries that are ready, without status information. The list is empty if there are none."
        })
      ),
    HttpApiEndpoint.get("byReference", "/topics/by-reference/:ref", {
      params: {
        ref: Schema.String.annotate({
          description: "The topic's `external_reference`, percent-encoded.",
          examples: ["article-4711"],
          [schemaKeywordsAnnotation]: { minLength: 1, maxLength: 256, pattern: externalReferencePattern.source }
        })
      },
      success: SuccessEnvelope(ReferenceLookup),
      error: [InvalidRequest, NotFound]
    })
      .annotate(RequiredScope, "topics:read")
      .annotate(EndpointConcurrencyPool, "large")
      .annotate(ExampleErrors, [
        InvalidRequest.of([{ field: "ref", constraint: referenceConstraint }]),
        NotFound.of("No topic has the external reference article-4711.")
      ])
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getTopicByReference",
          summary: "Look up commentaries by your reference",
          description:
            "Returns the entries of all topics with one `external_reference`, newest topic first. `topic_id`, `content` and `metadata` are those of the newest topic. The response contains at most the 100 newest topics, with at most 1,000 entries in total. A topic is either complete or omitted; `truncated` is true if older topics are omitted. At most two such requests of an organization run at a time. Others wait, and get 429 after 10 seconds."
        })
      )
  )
  .annotateMerge(topicsGroupAnnotations)
  .middleware(ApiKeyAuth) {}
