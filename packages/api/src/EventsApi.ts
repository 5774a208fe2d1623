/** Defines the operations that read past events. The events have the same payloads as webhook deliveries. */
import { FailureReason } from "@partner-commentary/core/topic/Assignment"
import { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, EndpointConcurrencyPool, RequiredScope, SupportsWaitPreference } from "./ApiKeyAuth.ts"
import {
  addEventStreamSchema,
  documentIntegerParameter,
  eventStreamContentType,
  makeLiteralParameter,
  makeTextParameter
} from "./Documented.ts"
import { SuccessFlag } from "./Envelope.ts"
import * as Fields from "./Fields.ts"

export const eventListBounds = { defaultLimit: 20, maxLimit: 100 }

const envelope = <Type extends EventType>(type: Type, sequence = 1) => ({
  id: Schema.String.annotate({
    description: "The event's id, the same in every delivery: `evt_` and a UUID.",
    examples: ["evt_019c0e5f-03aa-7001-8000-94d0b7f3a6e2"]
  }),
  type: Schema.Literal(type).annotate({ description: "The event's type.", examples: [type] }),
  timestamp: Fields.makeTimestampSchema("When the event happened: ISO 8601, UTC.", "2026-01-30T15:10:00.000Z"),
  sequence: Fields.makeCountSchema(
    "Increases with every event of the same `share_id`. It is always 1 in `topic.completed`.",
    sequence
  )
})

const subject = {
  topic_id: Fields.TopicId,
  external_reference: Schema.NullOr(Schema.String).annotate({
    description: "Your own identifier of the topic. Null if you sent none.",
    examples: ["article-4711"]
  }),
  metadata: Fields.Metadata
}

const topic = Schema.Struct({ status: Fields.TopicStatus, summary: Fields.OutcomeSummary }).annotate({
  identifier: "EventTopic",
  description: "The state of the topic after this event."
})

const part = {
  ...subject,
  share_id: Fields.ShareId,
  persona: Schema.Struct({ id: Fields.PersonaId, name: Fields.PersonaName }).annotate({
    identifier: "EventPersona",
    description: "The persona of the event."
  }),
  status: Fields.AssignmentStatus,
  topic
}

const commentary = "The assignment of the event, with its commentary at that time."

const approval = <Type extends "creator.approved" | "partner.approved">(
  type: Type,
  identifier: string,
  description: string
) =>
  Schema.Struct({
    ...envelope(type),
    data: Schema.Struct({ ...part, commentary: Fields.Commentary }).annotate({
      identifier: `${identifier}Data`,
      description: commentary
    })
  }).annotate({ identifier, description })

export const Event = Schema.Union([
  approval("creator.approved", "CreatorApprovedEvent", "A creator approved a commentary, which is ready to fetch."),
  approval("partner.approved", "PartnerApprovedEvent", "You accepted a commentary for publication."),
  Schema.Struct({
    ...envelope("commentary.failed"),
    data: Schema.Struct({
      ...part,
      reason: FailureReason.annotate({
        description: "The reason for the failure, as in `failure.reason`.",
        examples: ["declined"]
      })
    }).annotate({
      identifier: "CommentaryFailedEventData",
      description: "The assignment of the event, with the reason for the failure."
    })
  }).annotate({
    identifier: "CommentaryFailedEvent",
    description: "An assignment failed, so no commentary will come."
  }),
  Schema.Struct({
    ...envelope("media.ready", 2),
    data: Schema.Struct({
      ...part,
      output_type: MediaKind.annotate({
        description: "The type of the file that is ready. Its URL is in `commentary`.",
        examples: ["audio"]
      }),
      commentary: Schema.Struct({
        ...Fields.Commentary.fields,
        audio_url: Fields.AudioUrl.annotate({ examples: ["https://media.example.org/019c0e5f.mp3"] }),
        partner_approved_at: Fields.PartnerApprovedAt.annotate({ examples: [null] })
      }).annotate({
        identifier: "CommentaryWithMedia",
        description: "An approved commentary, with the URL of each file that is ready."
      })
    }).annotate({ identifier: "MediaReadyEventData", description: commentary })
  }).annotate({
    identifier: "MediaReadyEvent",
    description: "The audio or video of an approved commentary is ready. Sent once for each file."
  }),
  Schema.Struct({
    ...envelope("topic.completed"),
    data: Schema.Struct({ ...subject, topic }).annotate({
      identifier: "TopicCompletedEventData",
      description: "The topic of the event. There is no `share_id`, because the event is about all assignments."
    })
  }).annotate({
    identifier: "TopicCompletedEvent",
    description:
      "Every assignment of the topic is approved or has failed. Sent once for each topic, after the event of its last assignment. Audio and video may follow, with `media.ready`."
  })
]).annotate({
  identifier: "Event",
  description:
    "The result of one assignment, or of a topic. Later versions may add types: ignore those that you do not know."
})

export const CursorPageInfo = Schema.Struct({
  limit: Fields.makeCountSchema("The number of entries on a page.", eventListBounds.defaultLimit),
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description:
      "Send it as `cursor` to get the next page. Null on the last page, but never null in a list of events with `order=asc`.",
    examples: [null]
  })
}).annotate({ identifier: "CursorPagination", description: "The position of this page in the list." })

export const EventList = Schema.Struct({
  success: SuccessFlag,
  data: Schema.Array(Event).annotate({
    description: "The events of this page, newest first, or oldest first with `order=asc`."
  }),
  pagination: CursorPageInfo
}).annotate({ identifier: "EventList", description: "One page of events." })

const listQuery = {
  type: makeLiteralParameter(EventType.literals, {
    description: "Only events of this type.",
    example: "creator.approved"
  }),
  since: makeTextParameter({
    description:
      "Only events from this time on: ISO 8601 with a time zone. The list contains no events older than 30 days. An event can appear some seconds after its timestamp: to follow all events, use `after`.",
    example: "2026-01-30T12:00:00Z",
    format: "date-time"
  }),
  limit: documentIntegerParameter({
    description:
      "The number of entries on a page. A page of large events ends earlier, at about 1 MiB, so always use `next_cursor`.",
    example: eventListBounds.defaultLimit,
    minimum: 1,
    maximum: eventListBounds.maxLimit,
    default: eventListBounds.defaultLimit
  }),
  order: makeLiteralParameter(["asc", "desc"], {
    description:
      "`desc`, the default, lists the newest event first. `asc` lists events in the order in which the service stored them: an event that was stored late appears late, and `next_cursor` is never null.",
    example: "asc"
  }),
  after: makeTextParameter({
    description:
      "Only events after this one, in the order of `order=asc`, which it implies: the id of the last event that you handled, or the `pagination.next_cursor` of the previous page. Not together with `cursor`.",
    example: "evt_019c0e5f-03aa-7001-8000-94d0b7f3a6e2",
    pattern: "^evt_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
  }),
  cursor: makeTextParameter({
    description: "The `pagination.next_cursor` of the previous page.",
    example: "evt_019c0e5f-03aa-7001-8000-94d0b7f3a6e2",
    pattern: "^evt_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
  })
}

const eventId = {
  example: "evt_019c0e5f-03aa-7001-8000-94d0b7f3a6e2",
  pattern: "^evt_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
}

const streamQuery = {
  type: listQuery.type,
  since: makeTextParameter({
    description:
      "Only events from this time on: ISO 8601 with a time zone. Without `since`, `after` and `Last-Event-ID`, the stream begins with the oldest event of the last 30 days.",
    example: "2026-01-30T12:00:00Z",
    format: "date-time"
  }),
  after: makeTextParameter({
    description:
      "Only events after this one, in the order in which the service stored them: the id of the last event that you handled.",
    ...eventId
  })
}

/** Libraries for server-sent events send the header `Last-Event-ID` automatically when they reconnect. */
const streamHeaders = {
  "last-event-id": makeTextParameter({
    description:
      "The `id` of the last event that you received, which libraries for server-sent events send by themselves when they connect again. It has precedence over `after`.",
    ...eventId
  })
}

/** The schema of an event stream. The request handler itself encodes the text of the event stream. */
const EventStream = Schema.String.annotate({
  description:
    "Server-sent events. Each has an `id`, the event's id; an `event`, its type; and `data`, the event as JSON on one line, whose schema this is. A line that begins with a colon is a comment. `retry` is the time in milliseconds to wait before you connect again."
}).pipe(HttpApiSchema.asText({ contentType: eventStreamContentType }))

export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/events", { query: listQuery, success: EventList })
      .annotate(RequiredScope, "topics:read")
      .annotate(SupportsWaitPreference, true)
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listEvents",
          summary: "List events",
          description:
            "Lists the events of the last 30 days in the key's environment, newest first, even if no webhook was registered for them. Events have the same bytes that webhooks receive. To follow all topics with one loop, send `order=asc` first, then `after` with `pagination.next_cursor` or with the id of the last event that you handled: the pages contain each event once, without gaps. If there are no new events, the page is empty and the cursor stays valid."
        })
      ),
    HttpApiEndpoint.get("stream", "/events/stream", {
      query: streamQuery,
      headers: streamHeaders,
      success: EventStream
    })
      .annotate(RequiredScope, "topics:read")
      .annotate(EndpointConcurrencyPool, "streaming")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "streamEvents",
          transform: addEventStreamSchema("Event"),
          summary: "Stream events",
          description:
            "The events of `GET /events?order=asc` as server-sent events: each comes as soon as it is stored, once, and none is left out. When the stream ends, connect again with the id of the last event as `Last-Event-ID`: the next event follows. Use an official client, or a library for server-sent events that sends `X-Api-Key`, which the `EventSource` of browsers does not. While nothing happens, a comment comes every 15 seconds. A stream counts as one request. It ends within an hour, within 5 seconds of the end of its key, when the service stops, and when its client does not read for a minute. An organization may have 100 open streams in each process of the service. A host that cannot stream answers with the events that exist and ends, so that a client asks again every 10 seconds: use `Prefer: wait` or webhooks there instead."
        })
      )
  )
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "The events of your topics, without webhooks." }))
  .middleware(ApiKeyAuth) {}
