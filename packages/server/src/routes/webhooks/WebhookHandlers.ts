/**
 * Handles requests about webhooks. Each handler decodes the request, calls one use case and maps errors to responses.
 */

import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { ok } from "@partner-commentary/api/Envelope"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi, partnerApiPrefix } from "@partner-commentary/api/PartnerApi"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { TestEventSender } from "@partner-commentary/core/webhook/TestEventSender"
import { defaultSecretGracePeriod } from "@partner-commentary/core/webhook/WebhookSecret"
import { Webhooks } from "@partner-commentary/core/webhook/Webhooks"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Redacted from "effect/Redacted"
import { parseServicePathPrefix } from "../../http/Address.ts"
import { failWithInvalidRequest } from "../../http/Body.ts"
import * as Envelope from "../../http/Envelope.ts"
import { parseIdentifier } from "../../http/Identifier.ts"
import * as IdempotentRequests from "../../middleware/IdempotentRequests.ts"
import { decodeSecretRotation, decodeWebhookChange, decodeWebhookRegistration } from "./WebhookBody.ts"
import { toRotatedWebhook, toWebhook, toWebhookTest } from "./WebhookViews.ts"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    const { test } = yield* TestEventSender
    const { apiRoot } = yield* PublicAddress
    const answerOnce = yield* IdempotentRequests.make

    const created = ({ secret, webhook }: Effect.Success<ReturnType<typeof webhooks.register>>) =>
      HttpServerResponse.setHeader(
        Envelope.makeSuccessResponse({ ...toWebhook(webhook), secret: Redacted.value(secret) }, 201),
        "location",
        `${parseServicePathPrefix(apiRoot)}${partnerApiPrefix}/webhooks/${webhook.id}`
      )

    return handlers
      .handleRaw(
        "register",
        Effect.fnUntraced(function* ({ headers, request }) {
          const principal = yield* CurrentPrincipal
          return yield* answerOnce({ headers, request, owner: toOwner(principal), secret: true }, ({ once }) =>
            Effect.gen(function* () {
              const { events, secret, url } = yield* decodeWebhookRegistration(request)
              const wanted = { url, events, secret: secret === undefined ? null : Redacted.make(secret) }
              const registration = yield* Effect.catchTag(
                webhooks.prepare(principal, wanted),
                "WebhookUrlRefused",
                urlRefused
              )
              const registered = Effect.catchTag(webhooks.register(registration), "TooManyWebhooks", ({ limit }) =>
                tooMany(limit)
              )
              return yield* once(Effect.map(registered, created))
            })
          )
        })
      )
      .handle("list", () =>
        Effect.flatMap(CurrentPrincipal, (principal) =>
          Effect.map(webhooks.list(toOwner(principal)), (all) => ok(all.map(toWebhook)))
        )
      )
      .handle(
        "find",
        Effect.fnUntraced(function* ({ params }) {
          const principal = yield* CurrentPrincipal
          const id = yield* parseIdentifier(Ids.WebhookId, params.id, Errors.webhookNotFound)
          const webhook = yield* Effect.catchTag(webhooks.find(toOwner(principal), id), "WebhookNotFound", notFound)
          return ok(toWebhook(webhook))
        })
      )
      .handleRaw(
        "change",
        Effect.fnUntraced(function* ({ params, request }) {
          const principal = yield* CurrentPrincipal
          const patch = yield* decodeWebhookChange(request)
          const id = yield* parseIdentifier(Ids.WebhookId, params.id, Errors.webhookNotFound)
          const webhook = yield* Effect.catchTags(webhooks.change(principal, id, patch), {
            WebhookNotFound: notFound,
            WebhookUrlRefused: urlRefused
          })
          return Envelope.makeSuccessResponse(toWebhook(webhook))
        })
      )
      .handleRaw(
        "rotateSecret",
        Effect.fnUntraced(function* ({ headers, params, request }) {
          const principal = yield* CurrentPrincipal
          return yield* answerOnce({ headers, request, owner: toOwner(principal), secret: true }, ({ once }) =>
            Effect.gen(function* () {
              const { grace_period_seconds: seconds, secret } = yield* decodeSecretRotation(request)
              const id = yield* parseIdentifier(Ids.WebhookId, params.id, Errors.webhookNotFound)
              const rotated = webhooks.rotateSecret(principal, id, {
                secret: secret === undefined ? null : Redacted.make(secret),
                grace: seconds === undefined ? defaultSecretGracePeriod : Duration.seconds(seconds)
              })
              return yield* once(
                Effect.map(Effect.catchTag(rotated, "WebhookNotFound", notFound), (done) =>
                  Envelope.makeSuccessResponse(toRotatedWebhook(done))
                )
              )
            })
          )
        })
      )
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ params }) {
          const principal = yield* CurrentPrincipal
          const id = yield* parseIdentifier(Ids.WebhookId, params.id, Errors.webhookNotFound)
          yield* Effect.catchTag(webhooks.remove(principal, id), "WebhookNotFound", notFound)
          return ok({ id, deleted: true as const })
        })
      )
      .handle(
        "test",
        Effect.fnUntraced(function* ({ params }) {
          const principal = yield* CurrentPrincipal
          const id = yield* parseIdentifier(Ids.WebhookId, params.id, Errors.webhookNotFound)
          return toWebhookTest(yield* Effect.catchTag(test(toOwner(principal), id), "WebhookNotFound", notFound))
        })
      )
  })
)

/** A malformed id, an unknown webhook and another owner's webhook give the same response. */
const notFound = () => Effect.fail(Errors.webhookNotFound)

const urlRefused = ({ constraint }: { readonly constraint: string }) =>
  failWithInvalidRequest({ field: "url", constraint })

const tooMany = (limit: number) =>
  failWithInvalidRequest({
    field: "body",
    constraint: `must not register more than ${limit} webhooks in one environment: delete one first`
  })
