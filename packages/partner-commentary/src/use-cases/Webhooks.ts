/** Provides `pc.webhooks`, which registers webhooks on behalf of a partner. */

import * as Errors from "@partner-commentary/api/Errors"
import type { ChangeWebhookBody, RegisterWebhookBody } from "@partner-commentary/api/WebhooksApi"
import { TestEventSender } from "@partner-commentary/core/webhook/TestEventSender"
import * as Core from "@partner-commentary/core/webhook/Webhooks"
import {
  decodeWebhookChangeJson,
  decodeWebhookRegistrationJson
} from "@partner-commentary/server/routes/webhooks/WebhookBody"
import * as Views from "@partner-commentary/server/routes/webhooks/WebhookViews"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import {
  type DataOwner,
  makeDecoder,
  makeNotFoundError,
  ownerFields,
  type RunUseCase,
  readOrganizationAsCaller,
  toDataOwner,
  toJsonText,
  WebhookIdInput
} from "./UseCase.ts"

export type NewWebhook = typeof RegisterWebhookBody.Encoded & DataOwner

export type WebhookReference = DataOwner & { readonly webhook_id: string }

export type WebhookChange = typeof ChangeWebhookBody.Encoded & WebhookReference

const owned = makeDecoder(Schema.Struct(ownerFields))
const one = makeDecoder(Schema.Struct({ ...ownerFields, webhook_id: WebhookIdInput }))

/**
 * Returns the organization as the owner of a changed webhook. Because `key` is null, the audit log records an operator,
 * and the partner's contact gets no mail.
 */
const readWebhookOwner = Effect.fnUntraced(function* (of: Parameters<typeof readOrganizationAsCaller>[0]) {
  return { ...(yield* readOrganizationAsCaller(of)), key: null }
})

const notFound = () => Effect.fail(makeNotFoundError("webhook"))

const urlRefused = ({ constraint }: { readonly constraint: string }) =>
  Effect.fail(Errors.InvalidRequest.of([{ field: "url", constraint }]))

const tooMany = ({ limit }: { readonly limit: number }) =>
  Effect.fail(
    Errors.InvalidRequest.of([
      { field: "environment", constraint: `must have fewer than ${limit} webhooks: delete one first` }
    ])
  )

export const makeWebhookUseCases = (run: RunUseCase) => ({
  /** Registers a webhook. Only the result of `create` contains the webhook's `secret`. */
  create: (webhook: NewWebhook) =>
    run(
      Effect.gen(function* () {
        const webhooks = yield* Core.Webhooks
        const by = yield* readWebhookOwner(yield* owned(webhook))
        const decoded = Effect.mapError(
          decodeWebhookRegistrationJson(yield* toJsonText(webhook)),
          Errors.InvalidRequest.of
        )
        const { events, secret, url } = yield* decoded
        const wanted = { url, events, secret: secret === undefined ? null : Redacted.make(secret) }
        const prepared = webhooks.prepare(by, wanted)
        const registered = Effect.flatMap(prepared, (registration) => webhooks.register(registration))
        const created = yield* Effect.catchTags(registered, { WebhookUrlRefused: urlRefused, TooManyWebhooks: tooMany })
        return { ...Views.toWebhook(created.webhook), secret: Redacted.value(created.secret) }
      })
    ),

  find: (webhook: WebhookReference) =>
    run(
      Effect.gen(function* () {
        const of = yield* one(webhook)
        const found = Core.Webhooks.use(({ find }) => find(toDataOwner(of), of.webhook_id))
        return Views.toWebhook(yield* Effect.catchTag(found, "WebhookNotFound", notFound))
      })
    ),

  /** Lists webhooks, newest first. */
  list: (organization: DataOwner) =>
    run(
      Effect.gen(function* () {
        const of = yield* owned(organization)
        yield* readOrganizationAsCaller(of)
        return (yield* Core.Webhooks.use(({ list }) => list(toDataOwner(of)))).map(Views.toWebhook)
      })
    ),

  /** Changes a webhook. Fields that the input omits stay unchanged. */
  update: (change: WebhookChange) =>
    run(
      Effect.gen(function* () {
        const of = yield* one(change)
        const by = yield* readWebhookOwner(of)
        const patch = yield* Effect.mapError(
          decodeWebhookChangeJson(yield* toJsonText(change)),
          Errors.InvalidRequest.of
        )
        const updated = Core.Webhooks.use((webhooks) => webhooks.change(by, of.webhook_id, patch))
        return Views.toWebhook(
          yield* Effect.catchTags(updated, { WebhookNotFound: notFound, WebhookUrlRefused: urlRefused })
        )
      })
    ),

  /** Deletes a webhook. Events that wait for the deleted webhook are dropped. */
  delete: (webhook: WebhookReference) =>
    run(
      Effect.gen(function* () {
        const of = yield* one(webhook)
        const by = yield* readWebhookOwner(of)
        const removed = Core.Webhooks.use(({ remove }) => remove(by, of.webhook_id))
        yield* Effect.catchTag(removed, "WebhookNotFound", notFound)
        return { id: of.webhook_id, deleted: true as const }
      })
    ),

  /** Sends a test event to the webhook immediately, and waits for the receiver's response. */
  test: (webhook: WebhookReference) =>
    run(
      Effect.gen(function* () {
        const of = yield* one(webhook)
        const sent = TestEventSender.use(({ test }) => test(toDataOwner(of), of.webhook_id))
        return Views.toWebhookTest(yield* Effect.catchTag(sent, "WebhookNotFound", notFound))
      })
    )
})
