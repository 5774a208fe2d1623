/** The contract for past events, with the payloads that webhooks receive. */
import { FailureReason } from "@partner-commentary/core/topic/Assignment"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredPool, RequiredScope, WaitPreference } from "./ApiKeyAuth.ts"
import { eventStream, integerParameter, literalParameter, streamOf, textParameter } from "./Documented.ts"
import { Success } from "./Envelope.ts"
import * as Fields from "./Fields.ts"

export const eventListBounds = { defaultLimit: 20, maxLimit: 100 }

const envelope = <Type extends EventType>(type: Type) => ({
  id: Schema.String.annotate({
    description: "The event's id, the same in every delivery: `evt_` and a UUID.",
    examples: ["evt_019c0e5f-03aa-7001-8000-94d0b7f3a6e2"]
  }),
  type: Schema.Literal(type).annotate({ description: "What happened.", examples: [type] }),
  timestamp: Fields.moment("When it happened: ISO 8601, UTC.", "2026-01-30T15:10:00.000Z"),
  sequence: Fields.count("Increases with every event about one persona's part.", 1)
})

const part = {
  topic_id: Fields.TopicId,
  external_reference: Schema.NullOr(Schema.String).annotate({
    description: "Your own identifier of the topic; null when none was given.",
    examples: ["article-4711"]
  }),
  metadata: Fields.Metadata,
  share_id: Fields.ShareId,
  persona: Schema.Struct({ id: Fields.PersonaId, name: Fields.PersonaName }).annotate({
    identifier: "EventPersona",
    description: "The persona that it is about."
  }),
  status: Fields.AssignmentStatus,
  topic: Schema.Struct({ status: Fields.TopicStatus, summary: Fields.OutcomeSummary }).annotate({
    identifier: "EventTopic",
    description: "The topic as it is after this event."
  })
}

const approval = <Type extends "creator.approved" | "partner.approved">(
  type: Type,
  identifier: string,
  description: string
) =>
  Schema.Struct({
    ...envelope(type),
    data: Schema.Struct({ ...part, commentary: Fields.Commentary }).annotate({
      identifier: `${identifier}Data`,
      description: "The part that it is about, with its commentary as it was then."
    })
  }).annotate({ identifier, description })

export const Event = Schema.Union([
  approval("creator.approved", "CreatorApprovedEvent", "A commentary became ready to fetch."),
  approval("partner.approved", "PartnerApprovedEvent", "You accepted a commentary for publication."),
  Schema.Struct({
    ...envelope("commentary.failed"),
    data: Schema.Struct({
      ...part,
      reason: FailureReason.annotate({
        description: "Why no commentary will come, as in `failure.reason`.",
        examples: ["declined"]
      })
    }).annotate({ identifier: "CommentaryFailedEventData", description: "The part that it is about, and why." })
  }).annotate({ identifier: "CommentaryFailedEvent", description: "It is certain that no commentary will come." })
]).annotate({ identifier: "Event", description: "What became of one persona's part in a topic." })

export const CursorPagination = Schema.Struct({
  limit: Fields.count("The page's size.", eventListBounds.defaultLimit),
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description:
      "Send it as `cursor` for the next page; null on the last. Never null in a list of events with `order=asc`.",
    examples: [null]
  })
}).annotate({ identifier: "CursorPagination", description: "Where this page lies in the list." })

export const EventList = Schema.Struct({
  success: Success,
  data: Schema.Array(Event).annotate({
    description: "This page's events, newest first, or oldest first with `order=asc`."
  }),
  pagination: CursorPagination
}).annotate({ identifier: "EventList", description: "One page of events." })

const listQuery = {
  type: literalParameter(EventType.literals, { description: "Only events of this type.", example: "creator.approved" }),
  since: textParameter({
    description:
      "Only events of this moment and later ones: ISO 8601 with a zone. None reach back further than 30 days. An event may be seen some seconds after its timestamp: to follow all events, use `after`.",
    example: "2026-01-30T12:00:00Z",
    format: "date-time"
  }),
  limit: integerParameter({
    description: "The page's size. A page of large events ends earlier, at about 1 MiB: go by `next_cursor`.",
    example: eventListBounds.defaultLimit,
    minimum: 1,
    maximum: eventListBounds.maxLimit,
    default: eventListBounds.defaultLimit
  }),
  order: literalParameter(["asc", "desc"], {
    description:
      "`desc`, the default, lists the newest event first. `asc` lists events in the order in which the service stored them: an event that was stored late comes late, and `next_cursor` is never null.",
    example: "asc"
  }),
  after: textParameter({
    description:
      "Only events after this one, in the order of `order=asc`, which it implies: the id of the last event that you handled, or the former page's `pagination.next_cursor`. Not together with `cursor`.",
    example: "evt_019c0e5f-03aa-7001-8000-94d0b7f3a6e2",
    pattern: "^evt_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
  }),
  cursor: textParameter({
    description: "The former page's `pagination.next_cursor`.",
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
  since: textParameter({
    description:
      "Only events of this moment and later ones: ISO 8601 with a zone. None reach back further than 30 days. Left out together with `after`, the stream begins with the oldest of them.",
    example: "2026-01-30T12:00:00Z",
    format: "date-time"
  }),
  after: textParameter({
    description:
      "Only events after this one, in the order in which the service stored them: the id of the last event that you handled.",
    ...eventId
  })
}

/** `EventSource` sends the header by itself when it connects again. */
const streamHeaders = {
  "last-event-id": textParameter({
    description:
      "The `id` of the last event that came, which `EventSource` sends by itself when it connects again. It has precedence over `after`.",
    ...eventId
  })
}

/** The handler writes the text. */
const EventStream = Schema.String.annotate({
  description:
    "Server-sent events. Of each, `id` is the event's id, `event` its type, and `data` the JSON that `GET /events` lists, whose schema this is. A line with a colon alone is a comment."
}).pipe(HttpApiSchema.asText({ contentType: eventStream }))

export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/events", { query: listQuery, success: EventList })
      .annotate(RequiredScope, "topics:read")
      .annotate(WaitPreference, true)
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listEvents",
          summary: "List events",
          description:
            "The events of the last 30 days in the key's environment, newest first, whether or not a webhook was registered for them, in the very bytes that webhooks get. To follow all topics with one loop, send `order=asc` first, then `after` with `pagination.next_cursor` or with the id of the last event that you handled: each event comes once, and none is left out. While there is nothing new, the page is empty and the cursor stays valid."
        })
      ),
    HttpApiEndpoint.get("stream", "/events/stream", {
      query: streamQuery,
      headers: streamHeaders,
      success: EventStream
    })
      .annotate(RequiredScope, "topics:read")
      .annotate(RequiredPool, "streaming")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "streamEvents",
          transform: streamOf("Event"),
          summary: "Stream events",
          description:
            "The events of `GET /events?order=asc` as server-sent events: each comes as soon as it is stored, once, and none is left out. When the stream ends, connect again with the id of the last event as `Last-Event-ID`, as `EventSource` does: the next event follows. While nothing happens, a comment comes every 15 seconds. A stream counts as one request. It ends within an hour, within 5 seconds of the end of its key, when the service stops, and when its client does not read for a minute. An organization may have 100 open streams in each process of the service. A host that cannot stream answers with the events that exist and ends, so that a client asks again every 10 seconds: use `Prefer: wait` or webhooks there instead."
        })
      )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Events", description: "What happened to your topics, to be read at any time." })
  )
  .middleware(ApiKeyAuth) {}
