/** Handles requests about webhook deliveries. */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { deliveryListBounds } from "@partner-commentary/api/DeliveriesApi"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { Deliveries } from "@partner-commentary/core/webhook/Deliveries"
import { DeliveryStatus } from "@partner-commentary/core/webhook/Delivery"
import { formatEventCursor, parseEventCursor } from "@partner-commentary/core/webhook/EventHistory"
import { WebhookRecovery } from "@partner-commentary/core/webhook/WebhookRecovery"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failWithInvalidRequest } from "../../http/Body.ts"
import * as Envelope from "../../http/Envelope.ts"
import { parseIdentifier } from "../../http/Identifier.ts"
import * as IdempotentRequests from "../../middleware/IdempotentRequests.ts"
import { parseBoundedInteger } from "../topics/TopicListQuery.ts"
import { toDeliveryDetail, toListedDelivery, toRecoveryResponse } from "./DeliveryViews.ts"
import { decodeRecoveryBody, recoveryPeriodProblems } from "./RecoveryBody.ts"

const { defaultLimit, maxLimit } = deliveryListBounds

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const deliveries = yield* Deliveries
    const recoveries = yield* WebhookRecovery
    const answerOnce = yield* IdempotentRequests.make

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ params, query }) {
          const owner = toOwner(yield* CurrentPrincipal)
          const asked = yield* read(query)
          const id = yield* parseIdentifier(Ids.WebhookId, params.id, Errors.webhookNotFound)
          const page = yield* Effect.catchTags(deliveries.page(owner, id, asked), { WebhookNotFound: noWebhook })
          return {
            success: true as const,
            data: page.deliveries.map(toListedDelivery),
            pagination: { limit: asked.limit, next_cursor: Option.getOrNull(Option.map(page.next, formatEventCursor)) }
          }
        })
      )
      .handle(
        "find",
        Effect.fnUntraced(function* ({ params }) {
          const owner = toOwner(yield* CurrentPrincipal)
          const id = yield* parseIdentifier(Ids.WebhookId, params.id, Errors.webhookNotFound)
          const eventId = Option.getOrNull(Ids.parse(Ids.EventId, params.delivery_id))
          // Return the payload as it was sent, because an event of an older version may lack fields of the present
          // schema.
          return Envelope.makeSuccessResponse(
            toDeliveryDetail(yield* Effect.catchTags(deliveries.find(owner, id, eventId), missing))
          )
        })
      )
      .handleRaw(
        "retry",
        Effect.fnUntraced(function* ({ headers, params, request }) {
          const principal = yield* CurrentPrincipal
          return yield* answerOnce({ headers, request, owner: toOwner(principal) }, ({ once }) =>
            Effect.gen(function* () {
              const id = yield* parseIdentifier(Ids.WebhookId, params.id, Errors.webhookNotFound)
              const eventId = Option.getOrNull(Ids.parse(Ids.EventId, params.delivery_id))
              const retried = Effect.catchTags(deliveries.retry(principal, id, eventId), missing)
              return yield* once(
                Effect.map(retried, (delivery) => Envelope.makeSuccessResponse(toListedDelivery(delivery)))
              )
            })
          )
        })
      )
      .handleRaw(
        "recover",
        Effect.fnUntraced(function* ({ headers, params, request }) {
          const principal = yield* CurrentPrincipal
          return yield* answerOnce({ headers, request, owner: toOwner(principal) }, ({ once }) =>
            Effect.gen(function* () {
              const { isDryRun, period } = yield* decodeRecoveryBody(request)
              const id = yield* parseIdentifier(Ids.WebhookId, params.id, Errors.webhookNotFound)
              // Count the undelivered events before the transaction, so that the transaction stays short.
              const undelivered = yield* Effect.catchTags(recoveries.preview(principal, id, period), {
                WebhookNotFound: noWebhook,
                InvalidRecoveryPeriod: ({ reason }) => failWithInvalidRequest(recoveryPeriodProblems[reason])
              })
              const begun = isDryRun ? Effect.void : recoveries.start(principal, undelivered)
              return yield* once(
                Effect.as(begun, Envelope.makeSuccessResponse(toRecoveryResponse(undelivered, isDryRun)))
              )
            })
          )
        })
      )
  })
)

/** A malformed id, an unknown webhook and another owner's webhook give the same response. */
const noWebhook = () => Effect.fail(Errors.webhookNotFound)

const missing = {
  WebhookNotFound: noWebhook,
  DeliveryNotFound: () => Effect.fail(Errors.deliveryNotFound)
}

const isStatus = Schema.is(DeliveryStatus)

const read = (query: { readonly status?: string; readonly limit?: string; readonly cursor?: string }) => {
  const problems: Array<Errors.RequestProblem> = []
  const status = query.status ?? null
  if (status !== null && !isStatus(status)) {
    problems.push({ field: "status", constraint: `must be one of ${DeliveryStatus.literals.join(", ")}` })
  }
  const limit = parseBoundedInteger(query.limit, defaultLimit, 1, maxLimit)
  if (limit === undefined) problems.push({ field: "limit", constraint: `must be an integer from 1 to ${maxLimit}` })
  const behind = query.cursor === undefined ? null : Option.getOrUndefined(parseEventCursor(query.cursor))
  if (behind === undefined) {
    problems.push({ field: "cursor", constraint: "must be a pagination.next_cursor of this list" })
  }
  const [first, ...rest] = problems
  return first === undefined
    ? Effect.succeed({ status, limit, behind } as {
        readonly status: DeliveryStatus | null
        readonly limit: number
        readonly behind: Ids.EventId | null
      })
    : failWithInvalidRequest(first, ...rest)
}
