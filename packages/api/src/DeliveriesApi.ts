/** The contract for deliveries of events to a webhook: their status and attempts. */
import { AttemptFailure } from "@partner-commentary/core/webhook/Attempt"
import { shownAttempts } from "@partner-commentary/core/webhook/Deliveries"
import * as Deliveries from "@partner-commentary/core/webhook/Delivery"
import { AttemptKind } from "@partner-commentary/core/webhook/DeliveryPlan"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredScope } from "./ApiKeyAuth.ts"
import { integerParameter, literalParameter, textParameter } from "./Documented.ts"
import { Ok, Success } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import { CursorPagination, Event } from "./EventsApi.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"

export const deliveryListBounds = { defaultLimit: 20, maxLimit: 100 }

const example = "019c0e5f-03aa-7001-8000-94d0b7f3a6e2"

const attempt = {
  kind: AttemptKind.annotate({
    description:
      "`scheduled`: by the retry schedule; `manual`: you asked for it; `probe`: whether your endpoint is back after many failures. Only scheduled ones count towards the schedule's 10.",
    examples: ["scheduled"]
  }),
  at: Fields.moment("When it was begun: ISO 8601, UTC.", "2026-01-30T15:10:00.250Z"),
  duration_ms: Fields.count("How long it took, from the name's look-up to the end of the answer.", 87),
  response_code: Schema.NullOr(Schema.Int).annotate({
    description: "The HTTP status of your endpoint's answer; null when no answer came.",
    examples: [503]
  }),
  error_class: Schema.NullOr(AttemptFailure).annotate({
    description:
      "Null when it succeeded. `dns`, `refused`, `reset`, `tls`, `timeout`: how far we got; `http`: an answer other than 2xx, or none that is HTTP; `blocked`: the address is not public; `unsigned`: we could not sign, and sent nothing.",
    examples: ["http"]
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why it failed, in one sentence; null when it succeeded.",
    examples: ["The receiver answered with status 503, which is no success."]
  })
}

const DeliveryAttempt = Schema.Struct(attempt).annotate({
  identifier: "DeliveryAttempt",
  description: "One request to your endpoint."
})

const AnsweredAttempt = Schema.Struct({
  ...attempt,
  response_excerpt: Schema.NullOr(Schema.String).annotate({
    description: "The first KiB of the answer, as text; null when none came.",
    examples: ["upstream connect error"]
  })
}).annotate({ identifier: "AnsweredAttempt", description: "One request to your endpoint, and what it answered." })

const fields = {
  id: Fields.Uuid.annotate({
    description: "The delivery's id within its webhook: the event's, without `evt_`.",
    examples: [example]
  }),
  webhook_id: Fields.Uuid.annotate({
    description: "The webhook that it goes to.",
    examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]
  }),
  event_id: Schema.String.annotate({
    description: "The event, as your endpoint gets it in `webhook-id`: `evt_` and a UUID.",
    examples: [`evt_${example}`]
  }),
  type: EventType.annotate({ description: "What happened.", examples: ["creator.approved"] }),
  topic_id: Fields.TopicId,
  share_id: Fields.ShareId.annotate({
    description: "The persona's part in the topic that it is about; of `topic.completed`, the one that came last."
  }),
  status: Deliveries.DeliveryStatus.annotate({
    description:
      "`pending`: an attempt is planned or under way; `held`: it waits until the webhook is active again, or your endpoint is back after many failures, and spends no attempt; `delivered`; `failed`: its attempts are used up.",
    examples: ["pending"]
  }),
  created_at: Fields.moment("When the event happened: ISO 8601, UTC.", "2026-01-30T15:10:00.000Z"),
  next_attempt_at: Schema.NullOr(Fields.Timestamp).annotate({
    description:
      "When the next attempt is due. Null while one is under way, while the webhook is paused or disabled, and when none is planned. Of a delivery that is held because your endpoint failed often, the moment at which one of those that wait is tried to see whether it is back.",
    examples: ["2026-01-30T15:10:05.500Z"]
  }),
  settled_at: Schema.NullOr(Fields.Timestamp).annotate({
    description: "When it first arrived, or was given up; null before.",
    examples: [null]
  }),
  attempt_count: Fields.count("Attempts made so far, of every kind.", 1)
}

/** A delivery in a list. */
export const Delivery = Schema.Struct({
  ...fields,
  attempts: Schema.Array(DeliveryAttempt).annotate({
    description: `The last ${shownAttempts.listed} attempts at most, oldest first.`
  })
}).annotate({ identifier: "Delivery", description: "One event on its way to one webhook." })

export const DeliveryDetail = Schema.Struct({
  ...fields,
  attempts: Schema.Array(AnsweredAttempt).annotate({
    description: `The last ${shownAttempts.alone} attempts at most, oldest first, with what your endpoint answered.`
  }),
  payload: Event
}).annotate({ identifier: "DeliveryDetail", description: "One event on its way to one webhook, with the answers." })

export const DeliveryList = Schema.Struct({
  success: Success,
  data: Schema.Array(Delivery).annotate({ description: "This page's deliveries, newest event first." }),
  pagination: CursorPagination
}).annotate({ identifier: "DeliveryList", description: "One page of deliveries, newest event first." })

const listQuery = {
  status: literalParameter(Deliveries.DeliveryStatus.literals, {
    description: "Only deliveries of this status.",
    example: "failed"
  }),
  limit: integerParameter({
    description: "The page's size.",
    example: deliveryListBounds.defaultLimit,
    minimum: 1,
    maximum: deliveryListBounds.maxLimit,
    default: deliveryListBounds.defaultLimit
  }),
  cursor: textParameter({
    description: "The former page's `pagination.next_cursor`.",
    example: `evt_${example}`,
    pattern: "^evt_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
  })
}

const at = (description: string, example: string) =>
  Schema.String.annotate({ format: "date-time", description, examples: [example] })

/** The body of POST /webhooks/{id}/recover. */
export const RecoverWebhook = Schema.Struct({
  since: at(
    "Events of this moment and later ones: ISO 8601 with a zone. It lies within the last 30 days, and before `until`.",
    "2026-01-30T12:00:00Z"
  ),
  until: Schema.optionalKey(
    at("Events before this moment: ISO 8601 with a zone. Now, if you leave it out.", "2026-01-30T16:00:00Z")
  ),
  dry_run: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "True counts only, and sends nothing.", examples: [true] })
  )
}).annotate({ identifier: "RecoverWebhook" })

export const Recovery = Schema.Struct({
  since: Fields.moment("Events of this moment and later ones.", "2026-01-30T12:00:00.000Z"),
  until: Fields.moment("Events before this moment.", "2026-01-30T16:00:00.000Z"),
  dry_run: Schema.Boolean.annotate({ description: "True: they were counted only.", examples: [false] }),
  count: Fields.count("Deliveries that are sent again: `failed` and `held` together.", 42),
  failed: Fields.count("Deliveries whose attempts were used up. They get all of them anew.", 40),
  held: Fields.count("Deliveries that wait for the webhook. They go out when it is active again.", 2)
}).annotate({ identifier: "Recovery", description: "What a recovery sends again." })

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
        "The deliveries of the last 30 days' events to a webhook, newest event first, each with its attempts. A retry or a recovery shows here."
      ),
    HttpApiEndpoint.get("find", "/webhooks/:id/deliveries/:delivery_id", {
      params: one,
      success: Ok(DeliveryDetail),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:read")
      .annotate(OpenApi.Identifier, "getDelivery")
      .annotate(OpenApi.Summary, "Get a delivery")
      .annotate(
        OpenApi.Description,
        "Shows a delivery with its attempts and the first KiB of each answer. A delivery is named by its event: take the UUID from the event's id. 404 when the webhook is unknown, or got no such event in the last 30 days."
      ),
    HttpApiEndpoint.post("retry", "/webhooks/:id/deliveries/:delivery_id/retry", {
      headers: IdempotencyHeaders,
      params: one,
      success: Ok(Delivery),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "retryDelivery")
      .annotate(OpenApi.Summary, "Send a delivery again")
      .annotate(
        OpenApi.Description,
        "Asks for one attempt as soon as there is room, whatever the delivery's status: one that was delivered or has failed is sent again too. It does not wait for the attempt: look at the delivery for what came of it. The attempt spends none of the schedule's. A success cancels the automatic retries; a failure leaves them as they were. While an attempt is under way, or asked for already, nothing changes. A delivery of a webhook that is not active stays `held`, and the attempt is made when it is active again. Where deliveries are held because your endpoint failed often, one of them is tried at once, and all of them go out when it arrives: ask when your endpoint is mended."
      ),
    HttpApiEndpoint.post("recover", "/webhooks/:id/recover", {
      headers: IdempotencyHeaders,
      params: webhook,
      payload: RecoverWebhook,
      success: Ok(Recovery),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "recoverWebhook")
      .annotate(OpenApi.Summary, "Send what did not arrive again")
      .annotate(
        OpenApi.Description,
        "Sends a webhook's failed and held deliveries of a span of time again, oldest event first, slowly at the beginning, and answers at once with their count. Failed ones get the whole retry schedule anew. Where deliveries are held because your endpoint failed often, one is tried at once, and the others follow when it arrives. What is still being retried is left to its schedule. The job survives restarts of the service; an event may arrive twice, with the same id."
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Deliveries",
      description: "What became of each event on its way to a webhook, and how to send it again."
    })
  )
  .middleware(ApiKeyAuth) {}
