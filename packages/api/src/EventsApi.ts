/** The contract for past events, with the payloads that webhooks receive. */
import { FailureReason } from "@partner-commentary/core/topic/Assignment"
import { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredScope, WaitPreference } from "./ApiKeyAuth.ts"
import { integerParameter, literalParameter, textParameter } from "./Documented.ts"
import { Success } from "./Envelope.ts"
import * as Fields from "./Fields.ts"

export const eventListBounds = { defaultLimit: 20, maxLimit: 100 }

const envelope = <Type extends EventType>(type: Type, sequence = 1) => ({
  id: Schema.String.annotate({
    description: "The event's id, the same in every delivery: `evt_` and a UUID.",
    examples: ["evt_019c0e5f-03aa-7001-8000-94d0b7f3a6e2"]
  }),
  type: Schema.Literal(type).annotate({ description: "What happened.", examples: [type] }),
  timestamp: Fields.moment("When it happened: ISO 8601, UTC.", "2026-01-30T15:10:00.000Z"),
  sequence: Fields.count(
    "Increases with every event about one persona's part. Always 1 of `topic.completed`.",
    sequence
  )
})

const subject = {
  topic_id: Fields.TopicId,
  external_reference: Schema.NullOr(Schema.String).annotate({
    description: "Your own identifier of the topic; null when none was given.",
    examples: ["article-4711"]
  }),
  metadata: Fields.Metadata
}

const topic = Schema.Struct({ status: Fields.TopicStatus, summary: Fields.OutcomeSummary }).annotate({
  identifier: "EventTopic",
  description: "The topic as it is after this event."
})

const part = {
  ...subject,
  share_id: Fields.ShareId,
  persona: Schema.Struct({ id: Fields.PersonaId, name: Fields.PersonaName }).annotate({
    identifier: "EventPersona",
    description: "The persona that it is about."
  }),
  status: Fields.AssignmentStatus,
  topic
}

const commentary = "The part that it is about, with its commentary as it was then."

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
  }).annotate({ identifier: "CommentaryFailedEvent", description: "It is certain that no commentary will come." }),
  Schema.Struct({
    ...envelope("media.ready", 2),
    data: Schema.Struct({
      ...part,
      output_type: MediaKind.annotate({
        description: "Which file became ready: its URL is in `commentary`.",
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
    description: "The audio or video of an approved commentary became ready, once for each file."
  }),
  Schema.Struct({
    ...envelope("topic.completed"),
    data: Schema.Struct({ ...subject, topic }).annotate({
      identifier: "TopicCompletedEventData",
      description: "The topic that it is about. There is no `share_id`: it is about all personas."
    })
  }).annotate({
    identifier: "TopicCompletedEvent",
    description:
      "Every persona's part in a topic is approved or has failed. Sent once for each topic, after the last one's own event."
  })
]).annotate({
  identifier: "Event",
  description:
    "What became of one persona's part in a topic, or of the topic. Later versions may add types: ignore those that you do not know."
})

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
      )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Events", description: "What happened to your topics, to be read at any time." })
  )
  .middleware(ApiKeyAuth) {}
