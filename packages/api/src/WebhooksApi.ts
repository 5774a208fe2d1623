/** Defines the operations on webhooks: register, view, change, remove, test. */
import * as EventTypes from "@partner-commentary/core/webhook/EventType"
import * as Webhooks from "@partner-commentary/core/webhook/Webhook"
import { maxCountedHeldDeliveries } from "@partner-commentary/core/webhook/WebhookCondition"
import {
  defaultSecretGracePeriod,
  exampleWebhookSecret,
  maxSecretGracePeriod,
  webhookSecretConstraint,
  webhookSecretPattern
} from "@partner-commentary/core/webhook/WebhookSecret"
import {
  maxWebhookUrlLength,
  webhookUrlConstraint,
  webhookUrlPattern
} from "@partner-commentary/core/webhook/WebhookUrl"
import * as Duration from "effect/Duration"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, EndpointConcurrencyPool, RequiredScope } from "./ApiKeyAuth.ts"
import { makeBodyOptional } from "./Documented.ts"
import { SuccessEnvelope } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"

const EventType = EventTypes.EventType.annotate({
  message: `must be ${EventTypes.EventType.literals.slice(0, -1).join(", ")} or ${EventTypes.EventType.literals.at(-1)}`,
  description:
    "`creator.approved`: a commentary is ready to fetch; `partner.approved`: you accepted one for publication; `commentary.failed`: no commentary will come; `media.ready`: an approved commentary's audio or video is ready; `topic.completed`: every persona's part is approved or has failed.",
  examples: ["creator.approved"]
})

/** The schema of a webhook URL. The service also checks the network address to which the URL leads. */
const Url = Schema.String.annotate({
  description:
    "An `https:` URL of a public server, without user name, password and fragment. Events are sent to it by POST; redirects are not followed.",
  examples: ["https://example.com/webhooks/commentary"]
}).check(
  Schema.isMaxLength(maxWebhookUrlLength, { message: `must be at most ${maxWebhookUrlLength} characters long` }),
  Schema.isPattern(webhookUrlPattern, { message: webhookUrlConstraint })
)

const Events = Schema.Array(EventType)
  .check(
    Schema.isMinLength(1, { message: "must name at least one event type" }),
    Schema.isMaxLength(EventTypes.EventType.literals.length, {
      message: "must name each event type once at most"
    }).abort(),
    Schema.isUnique({ message: "must name each event type once at most" })
  )
  .annotate({
    description: "The event types that the webhook receives, each once.",
    examples: [["creator.approved", "commentary.failed"]]
  })

/** The body of POST /webhooks. */
export const RegisterWebhookBody = Schema.Struct({
  url: Url,
  events: Events,
  secret: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The secret that signs the events: `whsec_` and 24 to 64 bytes in base64, or any other 32 to 256 printable ASCII characters, which are used as they are. We recommend omitting it: the service then generates a secret. A secret from this documentation is refused."
    }).check(Schema.isPattern(webhookSecretPattern, { message: webhookSecretConstraint }))
  )
}).annotate({ identifier: "RegisterWebhook" })

/** The body of PATCH /webhooks/{id}. */
export const ChangeWebhookBody = Schema.Struct({
  url: Schema.optionalKey(Url),
  events: Schema.optionalKey(Events),
  status: Schema.optionalKey(
    Webhooks.RequestedWebhookStatus.annotate({
      message: "must be active or paused",
      description:
        "`paused` holds events back. `active` sends the held events, resets the failures, and enables a webhook that was disabled. If an active webhook failed often, set `active` again to send the held events at once.",
      examples: ["paused"]
    })
  )
}).annotate({ identifier: "ChangeWebhook" })

const fields = {
  id: Fields.Uuid.annotate({ description: "The webhook's id.", examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"] }),
  url: Schema.String.annotate({
    description: "The URL that events are sent to, as you sent it.",
    examples: ["https://example.com/webhooks/commentary"]
  }),
  events: Schema.Array(EventType).annotate({
    description: "The event types that the webhook receives, as you sent them.",
    examples: [["creator.approved", "commentary.failed"]]
  }),
  status: Webhooks.WebhookStatus.annotate({
    description:
      "`active`; `paused`: you paused it; `disabled`: the service disabled it, because it failed for too long. Events for a webhook that is not active are held. Events for an active webhook that failed often recently are held too; its deliveries show when it is tried again.",
    examples: ["active"]
  }),
  consecutive_failures: Fields.Count.annotate({
    description:
      "The number of consecutive failed attempts of all deliveries. 0 after a success, or when you set `active`.",
    examples: [0]
  }),
  last_delivery_at: Schema.NullOr(Fields.Timestamp).annotate({
    description: "When the last event was sent. Null before the first event.",
    examples: [null]
  }),
  created_at: Fields.Timestamp,
  updated_at: Fields.Timestamp.annotate({
    description: "When you last changed the webhook. Deliveries do not change it.",
    examples: ["2026-01-30T12:00:00.000Z"]
  }),
  disabled_reason: Schema.NullOr(Schema.String).annotate({
    description:
      "Why the service disabled the webhook, in one sentence: the error of the last attempt. Null unless the status is `disabled`.",
    examples: [null]
  }),
  disabled_at: Schema.NullOr(Fields.Timestamp).annotate({
    description: "When the service disabled the webhook: ISO 8601, UTC. Null unless the status is `disabled`.",
    examples: [null]
  }),
  circuit: Schema.Struct({
    state: Schema.Literals(["closed", "open"]).annotate({
      description:
        "`open`: the webhook failed often recently, so events are held, and one event is tried from time to time.",
      examples: ["closed"]
    }),
    open_until: Schema.NullOr(Fields.Timestamp).annotate({
      description: "When the next event is tried: ISO 8601, UTC. Null while `closed`, and while an attempt is running.",
      examples: [null]
    })
  }).annotate({
    identifier: "Circuit",
    description: "The circuit breaker, which stops most attempts while the endpoint fails."
  }),
  held_count: Fields.Count.annotate({
    description: `The number of events that are held because the webhook is not active or its circuit is open. At most ${maxCountedHeldDeliveries} are counted.`,
    examples: [0]
  })
}

export const Webhook = Schema.Struct(fields).annotate({ identifier: "Webhook" })

export const RegisteredWebhook = Schema.Struct({
  ...fields,
  secret: Schema.String.annotate({
    description: "The secret that signs the events. Only this response contains it; it cannot be retrieved later.",
    examples: [exampleWebhookSecret]
  })
}).annotate({ identifier: "RegisteredWebhook" })

const graceBounds = { minimum: 0, maximum: Duration.toSeconds(maxSecretGracePeriod) }
const usualGrace = Duration.toSeconds(defaultSecretGracePeriod)

/** The optional body of POST /webhooks/{id}/rotate-secret. */
export const RotateWebhookSecretBody = Schema.Struct({
  secret: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The new secret, in the format of `POST /webhooks`. We recommend omitting it: the service then generates a secret. A secret from this documentation is refused."
    }).check(Schema.isPattern(webhookSecretPattern, { message: webhookSecretConstraint }))
  ),
  grace_period_seconds: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(graceBounds, {
        message: `must be an integer from ${graceBounds.minimum} to ${graceBounds.maximum}`
      })
    ).annotate({
      description: `How long events are signed with the old secret too. The default is ${usualGrace} seconds. If the old secret may have leaked, send 0: no event is then signed with it.`,
      examples: [usualGrace]
    })
  )
}).annotate({ identifier: "RotateWebhookSecret" })

export const RotatedWebhook = Schema.Struct({
  ...fields,
  secret: Schema.String.annotate({
    description: "The new secret. Only this response contains it.",
    examples: [exampleWebhookSecret]
  }),
  former_secret_expires_at: Schema.NullOr(Fields.Timestamp).annotate({
    description:
      "Until this time, events are signed with the old secret too: ISO 8601, UTC. Null without a grace period.",
    examples: ["2026-01-31T12:00:00.000Z"]
  })
}).annotate({ identifier: "RotatedWebhook" })

export const RemovedWebhook = Schema.Struct({
  id: fields.id,
  deleted: Schema.Literal(true).annotate({ description: "Always true.", examples: [true] })
}).annotate({ identifier: "RemovedWebhook" })

/** The response to a webhook test. The response has no envelope, as the specification requires. */
export const WebhookTestResult = Schema.Struct({
  success: Schema.Boolean.annotate({
    description:
      "Whether your endpoint responded with a 2xx status. False is a test result, not an error of this request.",
    examples: [true]
  }),
  test_event_id: Schema.String.annotate({
    description: "The id of the test event, which your endpoint received in `webhook-id`: `evt_test_` and a UUID.",
    examples: ["evt_test_019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]
  }),
  delivery_status: Schema.Literals(["delivered", "failed"]).annotate({
    description: "The result of the delivery.",
    examples: ["delivered"]
  }),
  response_code: Schema.NullOr(Schema.Int).annotate({
    description: "The HTTP status of your endpoint's response. Null if there was no response.",
    examples: [200]
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why the delivery failed, in one sentence. Null if it succeeded.",
    examples: [null]
  })
}).annotate({ identifier: "WebhookTest" })

const id = {
  id: Fields.Uuid.annotate({
    description: "The webhook's id.",
    examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]
  })
}

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("register", "/webhooks", {
      headers: IdempotencyHeaders,
      payload: RegisterWebhookBody,
      success: HttpApiSchema.status(201)(SuccessEnvelope(RegisteredWebhook))
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "createWebhook")
      .annotate(OpenApi.Summary, "Register a webhook")
      .annotate(
        OpenApi.Description,
        `Registers a webhook. Each environment can have at most ${Webhooks.maxWebhooksPerOwner}. Only this response contains the secret. For live keys, your organization's contact gets an e-mail.`
      ),
    HttpApiEndpoint.get("list", "/webhooks", {
      success: SuccessEnvelope(Schema.Array(Webhook).annotate({ description: "The webhooks, newest first." }))
    })
      .annotate(RequiredScope, "webhooks:read")
      .annotate(OpenApi.Identifier, "listWebhooks")
      .annotate(OpenApi.Summary, "List webhooks")
      .annotate(OpenApi.Description, "Lists all webhooks of the key's environment, newest first."),
    HttpApiEndpoint.get("find", "/webhooks/:id", { params: id, success: SuccessEnvelope(Webhook), error: NotFound })
      .annotate(RequiredScope, "webhooks:read")
      .annotate(OpenApi.Identifier, "getWebhook")
      .annotate(OpenApi.Summary, "Get a webhook")
      .annotate(OpenApi.Description, "Returns a webhook, without its secret."),
    HttpApiEndpoint.patch("change", "/webhooks/:id", {
      params: id,
      payload: ChangeWebhookBody,
      success: SuccessEnvelope(Webhook),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "updateWebhook")
      .annotate(OpenApi.Summary, "Change a webhook")
      .annotate(
        OpenApi.Description,
        "Changes the fields that you send, and leaves the others. Only `POST /webhooks/{id}/rotate-secret` changes the secret. If the URL changes, your organization's contact gets an e-mail, for live keys."
      ),
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:id/rotate-secret", {
      params: id,
      headers: IdempotencyHeaders,
      payload: RotateWebhookSecretBody,
      success: SuccessEnvelope(RotatedWebhook),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "rotateWebhookSecret")
      .annotate(OpenApi.Summary, "Rotate a webhook's secret")
      .annotate(
        OpenApi.Description,
        "Replaces the secret. Until the grace period ends, each event has a signature of both secrets, separated by a space in `webhook-signature`, so your endpoint can verify with either. At most two secrets sign at a time: a second call within the grace period removes the oldest."
      )
      .annotate(OpenApi.Transform, makeBodyOptional),
    HttpApiEndpoint.delete("remove", "/webhooks/:id", {
      params: id,
      success: SuccessEnvelope(RemovedWebhook),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "deleteWebhook")
      .annotate(OpenApi.Summary, "Remove a webhook")
      .annotate(OpenApi.Description, "Permanently removes a webhook. No further events are sent to it."),
    HttpApiEndpoint.post("test", "/webhooks/:id/test", { params: id, success: WebhookTestResult, error: NotFound })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(EndpointConcurrencyPool, "outgoing")
      .annotate(OpenApi.Identifier, "testWebhook")
      .annotate(OpenApi.Summary, "Test a webhook")
      .annotate(
        OpenApi.Description,
        "Sends a signed event of the type `webhook.test` at once, whatever the webhook's status, and returns the result. There is one attempt, which can take 15 seconds. It does not count in `consecutive_failures`. Each call sends an event: an `Idempotency-Key` is ignored. At most two tests of an organization run at a time. Others wait, and get 429 after 10 seconds."
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description:
        'Endpoints of yours that receive the events of your topics as signed requests. The section "Webhooks" above explains how to verify signatures, and how failed deliveries are retried.'
    })
  )
  .middleware(ApiKeyAuth) {}
