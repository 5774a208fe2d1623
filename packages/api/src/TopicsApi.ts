/** Operations on topics: submit, poll, fetch, list. */

import { referencePattern } from "@partner-commentary/core/topic/Topic"
import { TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, ConditionalRead, OwnLimit, RequiredPool, RequiredScope, WaitPreference } from "./ApiKeyAuth.ts"
import { CreateTopic, referenceConstraint } from "./CreateTopic.ts"
import { integerParameter, keywords, literalParameter, textParameter } from "./Documented.ts"
import { Ok, Success } from "./Envelope.ts"
import { ExampleErrors } from "./ErrorGuide.ts"
import { InvalidRequest, NotFound, NoValidPersonas, SubmissionResult } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"
import { topicsGroup } from "./TopicsGroup.ts"

export const Topic = Schema.Struct({
  topic_id: Fields.TopicId,
  external_reference: Schema.optionalKey(Fields.ExternalReference),
  content: Fields.TopicContent,
  metadata: Fields.Metadata,
  output_types: Fields.OutputTypes,
  webhook_ids: Schema.optionalKey(Fields.TopicWebhookIds),
  personas_sent: Fields.count("How many personas will be asked.", 1),
  results: Schema.Array(SubmissionResult).annotate({
    description: "One for each requested persona, in the order of `persona_ids`."
  }),
  status: Schema.Literal("pending").annotate({ description: "Always `pending` on creation." }),
  created_at: Fields.CreatedAt
}).annotate({ identifier: "Topic", description: "The topic as it was created." })

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
      status_updated_at: Fields.moment("When the status last changed: ISO 8601, UTC.", "2026-01-30T16:42:11.000Z"),
      has_commentary: Schema.Boolean.annotate({
        description: "True when the commentary is ready to fetch.",
        examples: [true]
      }),
      failure: Fields.Failure,
      expires_at: Schema.NullOr(Fields.moment("The deadline: ISO 8601, UTC.", "2026-01-31T12:00:00.000Z")).annotate({
        description:
          "Until when the creator can answer, or approve the draft: ISO 8601, UTC. Null while no creator has to act, and when nothing more will come. The delivery of the request's mail and a new draft set it anew.",
        examples: ["2026-01-31T12:00:00.000Z"]
      })
    }).annotate({ identifier: "PersonaProgress", description: "Where one persona stands." })
  ).annotate({ description: "One for each persona that was asked, in the order of submission." }),
  summary: Schema.Struct({
    total: Fields.count("All personas of the topic.", 1),
    topic_sent: Fields.count("Waiting for the creator.", 0),
    opinion_injected: Fields.count("The creator has answered, the draft is being written.", 0),
    commentary_generated: Fields.count("Waiting for the creator's approval.", 0),
    creator_approved: Fields.count("Ready to fetch.", 1),
    declined: Fields.count("Declined by the creator.", 0),
    expired: Fields.count("Not answered in time.", 0)
  }).annotate({ identifier: "ProgressSummary", description: Fields.progressSummary })
}).annotate({ identifier: "TopicProgress", description: "Where a topic and each of its personas stand." })

const entry = {
  share_id: Fields.ShareId,
  persona_id: Fields.PersonaId,
  persona_name: Fields.PersonaName,
  persona_image: Fields.PersonaImage,
  status: Fields.OutcomeStatus,
  commentary: Schema.NullOr(Fields.Commentary).annotate({ description: "Null unless the status is `completed`." }),
  failure: Fields.Failure
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
    Schema.Struct(entry).annotate({ identifier: "TopicEntry", description: "What came of one persona." })
  ).annotate({ description: "One for each persona that was asked, in the order of submission." }),
  summary: Fields.OutcomeSummary
}).annotate({ identifier: "TopicDetail", description: "A topic with all that came of it." })

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
      }).annotate({ identifier: "CommentaryPersona", description: "Who speaks." }),
      content: Fields.CommentaryContent,
      audio_url: Fields.AudioUrl,
      video_url: Fields.VideoUrl,
      approved_at: Fields.ApprovedAt,
      partner_approved_at: Fields.PartnerApprovedAt
    }).annotate({ identifier: "CommentaryEntry", description: "One commentary and who speaks in it." })
  ).annotate({ description: "The ready ones alone; empty while there are none." })
}).annotate({ identifier: "TopicCommentaries", description: "A topic's ready commentaries." })

export const ReferenceLookup = Schema.Struct({
  external_reference: Fields.ExternalReference.annotate({ description: "The reference that was asked for." }),
  topic_id: Fields.TopicId.annotate({ description: "The newest topic with this reference." }),
  content: Fields.TopicContent.annotate({ description: "The newest topic's text." }),
  metadata: Fields.Metadata.annotate({ description: "The newest topic's metadata." }),
  output_types: Fields.OutputTypes.annotate({ description: "The newest topic's output types." }),
  commentaries: Schema.Array(
    Schema.Struct({
      topic_id: Fields.TopicId,
      topic_content: Fields.TopicContent,
      ...entry,
      created_at: Fields.moment("When the persona was asked: ISO 8601, UTC.", "2026-01-30T12:00:00.000Z")
    }).annotate({ identifier: "ReferenceEntry", description: "What came of one persona in one of the topics." })
  ).annotate({ description: "Of all topics with this reference, the newest topic first." }),
  summary: Fields.OutcomeSummary,
  truncated: Schema.Boolean.annotate({
    description: "True when older topics carry the reference too, which are not shown.",
    examples: [false]
  })
}).annotate({ identifier: "ReferenceLookup", description: "All that came of the topics with one reference." })

export const TopicSummary = Schema.Struct({
  topic_id: Fields.TopicId,
  external_reference: Schema.optionalKey(Fields.ExternalReference),
  content: Fields.TopicContent,
  metadata: Fields.Metadata,
  output_types: Fields.OutputTypes,
  status: Fields.TopicStatus,
  commentaries_ready: Fields.count("How many commentaries are ready to fetch.", 1),
  total_personas: Fields.count("How many personas were asked.", 1),
  created_at: Fields.CreatedAt
}).annotate({ identifier: "TopicSummary", description: "A topic as lists show it." })

/** The limits of the list's parameters. */
export const listBounds = { defaultLimit: 20, maxLimit: 100, maxOffset: 10_000 }

const cursor = "MjAyNi0wMS0zMFQxMjowMDowMC4wMDBaIDAxOWMwZTFiLTdjNGUtNzAwMC04MDAwLTJmNmQxYzllNGIxMA"

export const TopicList = Schema.Struct({
  success: Success,
  data: Schema.Array(TopicSummary).annotate({ description: "This page's topics." }),
  pagination: Schema.Struct({
    limit: Fields.count("The page's size.", listBounds.defaultLimit),
    offset: Fields.count("How many topics were skipped; 0 with a cursor.", 0),
    total: Fields.count(
      "How many topics there are on all pages; with other filters than `status` at most 10000 are counted.",
      1
    ),
    next_cursor: Schema.NullOr(Schema.String).annotate({
      description: "Send it as `cursor` for the next page; null on the last.",
      examples: [null]
    })
  }).annotate({ identifier: "Pagination", description: "Where this page lies in the list." })
}).annotate({ identifier: "TopicList", description: "One page of topics." })

/** Each status, and each set of them in the order of the workflow. */
const statusLists = Array.from({ length: 2 ** TopicStatus.literals.length - 1 }, (_, set) =>
  TopicStatus.literals.filter((__, place) => Math.floor((set + 1) / 2 ** place) % 2 === 1)
)
  .toSorted((one, other) => one.length - other.length)
  .map((list) => list.join())

const moment = (description: string) =>
  textParameter({ description, example: "2026-01-30T12:00:00Z", format: "date-time" })

/** Query values are decoded as text, and the service reports all problems at once. */
const listQuery = {
  status: literalParameter(statusLists, {
    description: "Only topics with this status, or with one of several, separated by commas.",
    example: "completed"
  }),
  external_reference: textParameter({
    description: "Only topics with this reference. Not together with `status`.",
    example: "article-4711",
    minLength: 1,
    maxLength: 256,
    pattern: referencePattern.source
  }),
  created_after: moment("Only topics that were created after this moment: ISO 8601 with a zone."),
  created_before: moment("Only topics that were created before this moment: ISO 8601 with a zone."),
  updated_after: moment(
    "Only topics that changed after this moment, in the order of their last change: ISO 8601 with a zone. Not together with another filter. A change may be seen some seconds late: to follow every change, read `GET /events` with `after`."
  ),
  order: literalParameter(["asc", "desc"], {
    description: "`desc`, the default, lists the newest topic first, `asc` the oldest.",
    example: "desc"
  }),
  limit: integerParameter({
    description: "The page's size.",
    example: listBounds.defaultLimit,
    minimum: 1,
    maximum: listBounds.maxLimit,
    default: listBounds.defaultLimit
  }),
  offset: integerParameter({
    description:
      "How many topics to skip. For longer ways follow `pagination.next_cursor`; not together with `cursor`.",
    example: 0,
    minimum: 0,
    maximum: listBounds.maxOffset,
    default: 0
  }),
  cursor: textParameter({ description: "The former page's `pagination.next_cursor`.", example: cursor, maxLength: 128 })
}

const id = { id: Fields.TopicId }

export class TopicsApi extends HttpApiGroup.make("topics")
  .add(
    HttpApiEndpoint.post("create", "/topics", {
      headers: IdempotencyHeaders,
      payload: CreateTopic,
      success: HttpApiSchema.status(201)(Ok(Topic)),
      error: NoValidPersonas
    })
      .annotate(RequiredScope, "topics:submit")
      .annotate(OwnLimit, "topic_submissions_per_hour")
      .annotate(RequiredPool, "frequent")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "createTopic",
          summary: "Create a topic",
          description:
            "Sends a topic to the creators of the chosen personas. Answers at once, with one result for each persona: `sent`, `not_licensed`, or `duplicate` when the same topic was already sent to it within 24 hours. Send one topic to several personas in one request, then poll its status every 30 to 60 seconds, or register a webhook; allow 24 to 48 hours for human review."
        })
      ),
    HttpApiEndpoint.get("list", "/topics", { query: listQuery, success: TopicList })
      .annotate(RequiredScope, "topics:read")
      .annotate(ConditionalRead, true)
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listTopics",
          summary: "List topics",
          description:
            "Your organization's topics, newest first unless `order` or `updated_after` say otherwise. Page by `limit` and `offset`, or follow `pagination.next_cursor`, which reaches any depth and never skips a topic; with `updated_after` use `order=asc`, because a topic that changes moves."
        })
      ),
    HttpApiEndpoint.get("find", "/topics/:id", { params: id, success: Ok(TopicDetail), error: NotFound })
      .annotate(RequiredScope, "topics:read")
      .annotate(ConditionalRead, true)
      .annotate(OwnLimit, "topic_reads_per_hour")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getTopic",
          summary: "Get a topic",
          description: "A topic with an entry for each persona, its commentary where it is ready, and a summary."
        })
      ),
    HttpApiEndpoint.get("progress", "/topics/:id/status", {
      params: id,
      success: Ok(TopicProgress),
      error: NotFound
    })
      .annotate(RequiredScope, "topics:read")
      .annotate(ConditionalRead, true)
      .annotate(WaitPreference, true)
      .annotate(RequiredPool, "frequent")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getTopicStatus",
          summary: "Poll a topic's status",
          description:
            "The light view to poll, every 30 to 60 seconds: where the topic and each of its personas stand. Stop when `overall_status` is `completed`: nothing more will come."
        })
      ),
    HttpApiEndpoint.post("cancel", "/topics/:id/cancel", {
      params: id,
      headers: IdempotencyHeaders,
      success: Ok(TopicProgress),
      error: NotFound
    })
      .annotate(RequiredScope, "topics:submit")
      .annotate(RequiredPool, "large")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "cancelTopic",
          summary: "Cancel a topic",
          description:
            "Settles each persona whose creator has not answered yet: its `status` stays, its `failure.reason` is `cancelled`, the creator is told by mail, the held commentary goes back to your quota, and `commentary.failed` is sent. Personas whose creators have answered go on. The response shows where the topic stands afterwards. Calling it again changes nothing."
        })
      ),
    HttpApiEndpoint.get("commentaries", "/topics/:id/commentaries", {
      params: id,
      success: Ok(TopicCommentaries),
      error: NotFound
    })
      .annotate(RequiredScope, "topics:read")
      .annotate(ConditionalRead, true)
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getTopicCommentaries",
          summary: "Get a topic's commentaries",
          description: "The ready commentaries alone, without status information. An empty list while there are none."
        })
      ),
    HttpApiEndpoint.get("byReference", "/topics/by-reference/:ref", {
      params: {
        ref: Schema.String.annotate({
          description: "The `external_reference` given at creation, percent-encoded.",
          examples: ["article-4711"],
          [keywords]: { minLength: 1, maxLength: 256, pattern: referencePattern.source }
        })
      },
      success: Ok(ReferenceLookup),
      error: [InvalidRequest, NotFound]
    })
      .annotate(RequiredScope, "topics:read")
      .annotate(RequiredPool, "large")
      .annotate(ExampleErrors, [
        InvalidRequest.of([{ field: "ref", constraint: referenceConstraint }]),
        NotFound.of("No topic has the external reference article-4711.")
      ])
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getTopicByReference",
          summary: "Look up commentaries by your reference",
          description:
            "All entries of all topics with one `external_reference`, the newest topic first. `topic_id`, `content` and `metadata` are the newest topic's. The newest topics are shown, whole: 100 at most, with 1,000 entries at most together; `truncated` tells whether there are older ones. At most two such requests of an organization are answered at a time: others wait, and are 429 after 10 seconds."
        })
      )
  )
  .annotateMerge(topicsGroup)
  .middleware(ApiKeyAuth) {}
