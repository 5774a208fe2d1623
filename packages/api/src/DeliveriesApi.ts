/** Defines the operations on webhook deliveries. The operations show the status and the attempts of each delivery. */
import { DeliveryAttemptFailure } from "@partner-commentary/core/webhook/Attempt"
import { maxShownAttempts } from "@partner-commentary/core/webhook/Deliveries"
import * as Deliveries from "@partner-commentary/core/webhook/Delivery"
import { DeliveryAttemptKind } from "@partner-commentary/core/webhook/DeliveryPlan"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredScope } from "./ApiKeyAuth.ts"
import { documentIntegerParameter, makeLiteralParameter, makeTextParameter } from "./Documented.ts"
import { SuccessEnvelope, SuccessFlag } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import { CursorPageInfo, Event } from "./EventsApi.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"

export const deliveryListBounds = { defaultLimit: 20, maxLimit: 100 }

const example = "019c0e5f-03aa-7001-8000-94d0b7f3a6e2"

const attempt = {
  kind: DeliveryAttemptKind.annotate({
    description:
      "`scheduled`: the retry schedule started it; `manual`: you requested it; `probe`: it tests whether your endpoint works again after many failures. Only scheduled attempts count towards the schedule's 10.",
    examples: ["scheduled"]
  }),
  at: Fields.makeTimestampSchema("When the attempt started: ISO 8601, UTC.", "2026-01-30T15:10:00.250Z"),
  duration_ms: Fields.makeCountSchema(
    "The duration of the attempt, from the DNS lookup to the end of the response.",
    87
  ),
  response_code: Schema.NullOr(Schema.Int).annotate({
    description: "The HTTP status of your endpoint's response. Null if there was no response.",
    examples: [503]
  }),
  error_class: Schema.NullOr(DeliveryAttemptFailure).annotate({
    description:
      "Null if the attempt succeeded. `dns`, `refused`, `reset`, `tls` and `timeout` name the step of the connection that failed; `http`: the response had another status than 2xx, or was not HTTP; `blocked`: the address is not public; `unsigned`: the event could not be signed, so nothing was sent.",
    examples: ["http"]
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why the attempt failed, in one sentence. Null if it succeeded.",
    examples: ["The receiver answered with status 503, which is not a success."]
  })
}

const DeliveryAttempt = Schema.Struct(attempt).annotate({
  identifier: "DeliveryAttempt",
  description: "One request to your endpoint."
})

const AnsweredAttempt = Schema.Struct({
  ...attempt,
  response_excerpt: Schema.NullOr(Schema.String).annotate({
    description: "The first KiB of the response, as text. Null if there was no response.",
    examples: ["upstream connect error"]
  })
}).annotate({ identifier: "AnsweredAttempt", description: "One request to your endpoint, with the response." })

const fields = {
  id: Fields.Uuid.annotate({
    description: "The delivery's id within its webhook: the event's id without `evt_`.",
    examples: [example]
  }),
  webhook_id: Fields.Uuid.annotate({
    description: "The webhook that receives the event.",
    examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]
  }),
  event_id: Schema.String.annotate({
    description: "The event's id, which your endpoint receives in `webhook-id`: `evt_` and a UUID.",
    examples: [`evt_${example}`]
  }),
  type: EventType.annotate({ description: "The event's type.", examples: ["creator.approved"] }),
  topic_id: Fields.TopicId,
  share_id: Fields.ShareId.annotate({
    description: "The persona's part in the topic that it is about; of `topic.completed`, the one that came last."
  }),
  status: Deliveries.DeliveryStatus.annotate({
    description:
      "`pending`: an attempt is scheduled or running; `held`: the delivery waits until the webhook is active again, or until your endpoint works again after many failures, without using up attempts; `delivered`: it succeeded; `failed`: its attempts are used up.",
    examples: ["pending"]
  }),
  created_at: Fields.makeTimestampSchema("When the event happened: ISO 8601, UTC.", "2026-01-30T15:10:00.000Z"),
  next_attempt_at: Schema.NullOr(Fields.Timestamp).annotate({
    description:
      "When the next attempt is due. Null while an attempt is running, while the webhook is paused or disabled, and if no attempt is scheduled. If the delivery is held because your endpoint failed often, the time at which one of the held deliveries is sent to test the endpoint.",
    examples: ["2026-01-30T15:10:05.500Z"]
  }),
  settled_at: Schema.NullOr(Fields.Timestamp).annotate({
    description: "When the delivery first succeeded, or finally failed. Null while it is `pending` or `held`.",
    examples: [null]
  }),
  attempt_count: Fields.makeCountSchema("The number of attempts so far, of every kind.", 1)
}

/** A delivery as an entry in a list. */
export const Delivery = Schema.Struct({
  ...fields,
  attempts: Schema.Array(DeliveryAttempt).annotate({
    description: `At most the last ${maxShownAttempts.listed} attempts, oldest first.`
  })
}).annotate({ identifier: "Delivery", description: "The delivery of one event to one webhook." })

export const DeliveryDetail = Schema.Struct({
  ...fields,
  attempts: Schema.Array(AnsweredAttempt).annotate({
    description: `At most the last ${maxShownAttempts.alone} attempts, oldest first, with your endpoint's responses.`
  }),
  payload: Event
}).annotate({
  identifier: "DeliveryDetail",
  description: "The delivery of one event to one webhook, with your endpoint's responses."
})

export const DeliveryList = Schema.Struct({
  success: SuccessFlag,
  data: Schema.Array(Delivery).annotate({ description: "The deliveries of this page, newest event first." }),
  pagination: CursorPageInfo
}).annotate({ identifier: "DeliveryList", description: "One page of deliveries, newest event first." })

const listQuery = {
  status: makeLiteralParameter(Deliveries.DeliveryStatus.literals, {
    description: "Only deliveries with this status.",
    example: "failed"
  }),
  limit: documentIntegerParameter({
    description: "The number of entries on a page.",
    example: deliveryListBounds.defaultLimit,
    minimum: 1,
    maximum: deliveryListBounds.maxLimit,
    default: deliveryListBounds.defaultLimit
  }),
  cursor: makeTextParameter({
    description: "The `pagination.next_cursor` of the previous page.",
    example: `evt_${example}`,
    pattern: "^evt_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
  })
}

const at = (description: string, example: string) =>
  Schema.String.annotate({ format: "date-time", description, examples: [example] })

/** The body of POST /webhooks/{id}/recover. */
export const RecoverWebhookBody = Schema.Struct({
  since: at(
    "Events from this time on: ISO 8601 with a time zone. It must be within the last 30 days, and before `until`.",
    "2026-01-30T12:00:00Z"
  ),
  until: Schema.optionalKey(
    at("Events before this time: ISO 8601 with a time zone. The default is the current time.", "2026-01-30T16:00:00Z")
  ),
  dry_run: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "If true, deliveries are only counted, and nothing is sent.",
      examples: [true]
    })
  )
}).annotate({ identifier: "RecoverWebhook" })

export const WebhookRecoverySummary = Schema.Struct({
  since: Fields.makeTimestampSchema("Events from this time on.", "2026-01-30T12:00:00.000Z"),
  until: Fields.makeTimestampSchema("Events before this time.", "2026-01-30T16:00:00.000Z"),
  dry_run: Schema.Boolean.annotate({ description: "True if deliveries were only counted.", examples: [false] }),
  count: Fields.makeCountSchema("The number of deliveries that are sent again: `failed` and `held` together.", 42),
  failed: Fields.makeCountSchema(
    "Deliveries whose attempts were used up. They start again with the whole retry schedule.",
    40
  ),
  held: Fields.makeCountSchema("Deliveries that wait for the webhook. They are sent when it is active again.", 2)
}).annotate({ identifier: "Recovery", description: "The deliveries that a recovery sends again." })

const webhook = {
  id: Fields.Uuid.annotate({ description: "The webhook's id.", examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"] })
}

const one = { ...webhook, delivery_id: fields.id }

export class DeliveriesApi extends HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/webhooks/:id/deliveries", {
      params: webhook,
      query: listQuery,
      success: DeliveryList,
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:read")
      .annotate(OpenApi.Identifier, "listDeliveries")
      .annotate(OpenApi.Summary, "List deliveries")
      .annotate(
        OpenApi.Description,
        "Lists a webhook's deliveries of the last 30 days' events, newest event first, each with its attempts. The list shows the results of retries and recoveries."
      ),
    HttpApiEndpoint.get("find", "/webhooks/:id/deliveries/:delivery_id", {
      params: one,
      success: SuccessEnvelope(DeliveryDetail),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:read")
      .annotate(OpenApi.Identifier, "getDelivery")
      .annotate(OpenApi.Summary, "Get a delivery")
      .annotate(
        OpenApi.Description,
        "Returns a delivery with its attempts and the first KiB of each response. The delivery's id is the UUID in the event's id. The response is 404 if the webhook does not exist, or had no such event in the last 30 days."
      ),
    HttpApiEndpoint.post("retry", "/webhooks/:id/deliveries/:delivery_id/retry", {
      headers: IdempotencyHeaders,
      params: one,
      success: SuccessEnvelope(Delivery),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "retryDelivery")
      .annotate(OpenApi.Summary, "Send a delivery again")
      .annotate(
        OpenApi.Description,
        "Requests one attempt as soon as a worker is free, whatever the delivery's status: a delivery that succeeded or failed is sent again too. The response does not wait for the attempt: get the delivery to see the result. The attempt does not count towards the retry schedule. A success cancels the automatic retries; a failure does not change them. If an attempt is running, or already requested, the call changes nothing. A delivery of a webhook that is not active stays `held` until the webhook is active again. If deliveries are held because your endpoint failed often, the service tries one of them at once, and sends all of them when it arrives. Call this operation when your endpoint is repaired."
      ),
    HttpApiEndpoint.post("recover", "/webhooks/:id/recover", {
      headers: IdempotencyHeaders,
      params: webhook,
      payload: RecoverWebhookBody,
      success: SuccessEnvelope(WebhookRecoverySummary),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "recoverWebhook")
      .annotate(OpenApi.Summary, "Send failed deliveries again")
      .annotate(
        OpenApi.Description,
        "Sends a webhook's failed and held deliveries of a period again, oldest event first, slowly at the beginning. The response comes at once, with the number of deliveries. Failed deliveries start again with the whole retry schedule. If deliveries are held because your endpoint failed often, the service tries one at once, and sends the others when it arrives. Deliveries that are still being retried keep their schedule. The recovery continues after a restart of the service. An event can arrive twice, with the same id."
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Deliveries",
      description: "The delivery of each event to a webhook: its status, its attempts, and how to send it again."
    })
  )
  .middleware(ApiKeyAuth) {}
