/** Operations on webhooks: register, view, change, remove, test. */
import * as EventTypes from "@partner-commentary/core/webhook/EventType"
import * as Webhooks from "@partner-commentary/core/webhook/Webhook"
import { mostHeld } from "@partner-commentary/core/webhook/WebhookCondition"
import {
  defaultSecretGrace,
  exampleSecret,
  maxSecretGrace,
  secretConstraint,
  secretPattern
} from "@partner-commentary/core/webhook/WebhookSecret"
import { maxUrlLength, urlConstraint, urlPattern } from "@partner-commentary/core/webhook/WebhookUrl"
import * as Duration from "effect/Duration"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredPool, RequiredScope } from "./ApiKeyAuth.ts"
import { bodyOptional } from "./Documented.ts"
import { Ok } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"

const EventType = EventTypes.EventType.annotate({
  message: `must be ${EventTypes.EventType.literals.slice(0, -1).join(", ")} or ${EventTypes.EventType.literals.at(-1)}`,
  description:
    "`creator.approved`: a commentary is ready to fetch; `partner.approved`: you accepted one for publication; `commentary.failed`: no commentary will come; `media.ready`: an approved commentary's audio or video is ready; `topic.completed`: every persona's part is approved or has failed.",
  examples: ["creator.approved"]
})

/** The syntax of a webhook's URL. The service also checks the address to which the URL leads. */
const Url = Schema.String.annotate({
  description:
    "An `https:` address of a public server, without user name, password and fragment. Events are sent to it by POST; redirects are not followed.",
  examples: ["https://example.com/webhooks/commentary"]
}).check(
  Schema.isMaxLength(maxUrlLength, { message: `must be at most ${maxUrlLength} characters long` }),
  Schema.isPattern(urlPattern, { message: urlConstraint })
)

const Events = Schema.Array(EventType)
  .check(
    Schema.isMinLength(1, { message: "must name at least one event type" }),
    Schema.isMaxLength(EventTypes.EventType.literals.length, { message: "must name each event type once at most" }),
    Schema.isUnique({ message: "must name each event type once at most" })
  )
  .annotate({
    description: "The event types that are sent to it, each once.",
    examples: [["creator.approved", "commentary.failed"]]
  })

/** The body of POST /webhooks. */
export const RegisterWebhook = Schema.Struct({
  url: Url,
  events: Events,
  secret: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "What events are signed with: `whsec_` and 24 to 64 bytes in base64, or any other 32 to 256 printable ASCII characters, which are used as they are. One is made if you leave it out, which is best. A secret that this documentation shows is refused."
    }).check(Schema.isPattern(secretPattern, { message: secretConstraint }))
  )
}).annotate({ identifier: "RegisterWebhook" })

/** The body of PATCH /webhooks/{id}. */
export const ChangeWebhook = Schema.Struct({
  url: Schema.optionalKey(Url),
  events: Schema.optionalKey(Events),
  status: Schema.optionalKey(
    Webhooks.ChosenStatus.annotate({
      message: "must be active or paused",
      description:
        "`paused` holds events back; `active` sends them again, forgets the failures, and brings back a webhook that was disabled. Set it on an active webhook that failed often, and what is held goes out at once.",
      examples: ["paused"]
    })
  )
}).annotate({ identifier: "ChangeWebhook" })

const fields = {
  id: Fields.Uuid.annotate({ description: "The webhook's id.", examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"] }),
  url: Schema.String.annotate({
    description: "Where events are sent, as you gave it.",
    examples: ["https://example.com/webhooks/commentary"]
  }),
  events: Schema.Array(EventType).annotate({
    description: "The event types that are sent to it, as you gave them.",
    examples: [["creator.approved", "commentary.failed"]]
  }),
  status: Webhooks.WebhookStatus.annotate({
    description:
      "`active`; `paused` by you; or `disabled` by us, because it failed for too long. Events for a webhook that is not active are held; so are those for an active one that failed often of late: its deliveries tell when it is tried again.",
    examples: ["active"]
  }),
  consecutive_failures: Fields.Count.annotate({
    description: "Failed attempts in a row, over all deliveries; 0 after a success or when you set `active`.",
    examples: [0]
  }),
  last_delivery_at: Schema.NullOr(Fields.Timestamp).annotate({
    description: "When an event was last sent to it; null before the first.",
    examples: [null]
  }),
  created_at: Fields.Timestamp,
  updated_at: Fields.Timestamp.annotate({
    description: "When you last changed it. Deliveries do not count.",
    examples: ["2026-01-30T12:00:00.000Z"]
  }),
  disabled_reason: Schema.NullOr(Schema.String).annotate({
    description: "Why we disabled it, in one sentence: what the last attempt met. Null unless it is `disabled`.",
    examples: [null]
  }),
  disabled_at: Schema.NullOr(Fields.Timestamp).annotate({
    description: "When we disabled it: ISO 8601, UTC. Null unless it is `disabled`.",
    examples: [null]
  }),
  circuit: Schema.Struct({
    state: Schema.Literals(["closed", "open"]).annotate({
      description: "`open`: it failed often of late, so events are held and one is tried from time to time.",
      examples: ["closed"]
    }),
    open_until: Schema.NullOr(Fields.Timestamp).annotate({
      description: "When the next event is tried: ISO 8601, UTC. Null while `closed`, and when one is tried now.",
      examples: [null]
    })
  }).annotate({ identifier: "Circuit", description: "Whether the endpoint is believed to answer." }),
  held_count: Fields.Count.annotate({
    description: `How many events are held for it, because it is not active or its circuit is open; ${mostHeld} at most are counted.`,
    examples: [0]
  })
}

export const Webhook = Schema.Struct(fields).annotate({ identifier: "Webhook" })

export const RegisteredWebhook = Schema.Struct({
  ...fields,
  secret: Schema.String.annotate({
    description: "What events are signed with. Shown in this answer alone: it cannot be fetched later.",
    examples: [exampleSecret]
  })
}).annotate({ identifier: "RegisteredWebhook" })

const graceBounds = { minimum: 0, maximum: Duration.toSeconds(maxSecretGrace) }
const usualGrace = Duration.toSeconds(defaultSecretGrace)

/** The optional body of POST /webhooks/{id}/rotate-secret. */
export const RotateWebhookSecret = Schema.Struct({
  secret: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The new secret, in the form of `POST /webhooks`. One is made if you leave it out, which is best. A secret that this documentation shows is refused."
    }).check(Schema.isPattern(secretPattern, { message: secretConstraint }))
  ),
  grace_period_seconds: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(graceBounds, {
        message: `must be an integer from ${graceBounds.minimum} to ${graceBounds.maximum}`
      })
    ).annotate({
      description: `How long the old secret signs beside the new one, ${usualGrace} seconds if you leave it out. 0 where it may have leaked: it signs nothing more.`,
      examples: [usualGrace]
    })
  )
}).annotate({ identifier: "RotateWebhookSecret" })

export const RotatedWebhook = Schema.Struct({
  ...fields,
  secret: Schema.String.annotate({
    description: "The new secret. Shown in this answer alone.",
    examples: [exampleSecret]
  }),
  former_secret_expires_at: Schema.NullOr(Fields.Timestamp).annotate({
    description: "Until when the old secret signs too: ISO 8601, UTC. Null without a grace period.",
    examples: ["2026-01-31T12:00:00.000Z"]
  })
}).annotate({ identifier: "RotatedWebhook" })

export const RemovedWebhook = Schema.Struct({
  id: fields.id,
  deleted: Schema.Literal(true).annotate({ description: "Always true.", examples: [true] })
}).annotate({ identifier: "RemovedWebhook" })

/** The response to a webhook's test. The response has no envelope, as the specification requires. */
export const WebhookTest = Schema.Struct({
  success: Schema.Boolean.annotate({
    description: "Whether your endpoint answered with a 2xx status. False is an answer, not an error.",
    examples: [true]
  }),
  test_event_id: Schema.String.annotate({
    description: "The id of the test event, as your endpoint got it in `webhook-id`: `evt_test_` and a UUID.",
    examples: ["evt_test_019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]
  }),
  delivery_status: Schema.Literals(["delivered", "failed"]).annotate({
    description: "`delivered` or `failed`.",
    examples: ["delivered"]
  }),
  response_code: Schema.NullOr(Schema.Int).annotate({
    description: "The HTTP status of your endpoint's answer; null when no answer came.",
    examples: [200]
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why the delivery failed, in one sentence; null when it did not.",
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
      payload: RegisterWebhook,
      success: HttpApiSchema.status(201)(Ok(RegisteredWebhook))
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "createWebhook")
      .annotate(OpenApi.Summary, "Register a webhook")
      .annotate(
        OpenApi.Description,
        `Registers a webhook, at most ${Webhooks.maxWebhooks} for each environment. Only this answer shows its secret. For live keys, your organization's contact is told by e-mail.`
      ),
    HttpApiEndpoint.get("list", "/webhooks", {
      success: Ok(Schema.Array(Webhook).annotate({ description: "Newest first." }))
    })
      .annotate(RequiredScope, "webhooks:read")
      .annotate(OpenApi.Identifier, "listWebhooks")
      .annotate(OpenApi.Summary, "List webhooks")
      .annotate(OpenApi.Description, "Lists all webhooks of the key's environment, newest first."),
    HttpApiEndpoint.get("find", "/webhooks/:id", { params: id, success: Ok(Webhook), error: NotFound })
      .annotate(RequiredScope, "webhooks:read")
      .annotate(OpenApi.Identifier, "getWebhook")
      .annotate(OpenApi.Summary, "Get a webhook")
      .annotate(OpenApi.Description, "Shows a webhook, without its secret."),
    HttpApiEndpoint.patch("change", "/webhooks/:id", {
      params: id,
      payload: ChangeWebhook,
      success: Ok(Webhook),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "updateWebhook")
      .annotate(OpenApi.Summary, "Change a webhook")
      .annotate(
        OpenApi.Description,
        "Changes what is given and leaves the rest. The secret is changed by `POST /webhooks/{id}/rotate-secret` alone. If the URL changes, your organization's contact is told by e-mail, for live keys."
      ),
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:id/rotate-secret", {
      params: id,
      headers: IdempotencyHeaders,
      payload: RotateWebhookSecret,
      success: Ok(RotatedWebhook),
      error: NotFound
    })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "rotateWebhookSecret")
      .annotate(OpenApi.Summary, "Rotate a webhook's secret")
      .annotate(
        OpenApi.Description,
        "Replaces the secret. Until the grace period is over, each event carries a signature of both secrets, separated by a space in `webhook-signature`, so a receiver may verify with either. Calling it again within the grace period drops the secret before the last."
      )
      .annotate(OpenApi.Transform, bodyOptional),
    HttpApiEndpoint.delete("remove", "/webhooks/:id", { params: id, success: Ok(RemovedWebhook), error: NotFound })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(OpenApi.Identifier, "deleteWebhook")
      .annotate(OpenApi.Summary, "Remove a webhook")
      .annotate(OpenApi.Description, "Removes a webhook for good. Nothing more is sent to it."),
    HttpApiEndpoint.post("test", "/webhooks/:id/test", { params: id, success: WebhookTest, error: NotFound })
      .annotate(RequiredScope, "webhooks:write")
      .annotate(RequiredPool, "outgoing")
      .annotate(OpenApi.Identifier, "testWebhook")
      .annotate(OpenApi.Summary, "Test a webhook")
      .annotate(
        OpenApi.Description,
        "Sends a signed event of the type `webhook.test` at once, whatever the webhook's status, and answers with what came of it. One attempt, which may take 15 seconds. It does not count in `consecutive_failures`, and each call sends one: an `Idempotency-Key` is ignored. At most two of an organization are under way at a time: others wait, and are 429 after 10 seconds."
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description:
        'Addresses of yours that are told what becomes of your topics, by signed requests: see "Webhooks" above for how to verify one, and what happens when one does not arrive.'
    })
  )
  .middleware(ApiKeyAuth) {}
