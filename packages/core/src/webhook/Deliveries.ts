/** What partners see of deliveries. Carrying them is Courier's. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { EventId, WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Owner } from "../topic/TopicStore.ts"
import { type DeliveryStatus, type ShownDelivery, shown, stateOf } from "./Delivery.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import { DeliveryNotFound } from "./DeliveryNotFound.ts"
import { earliestShown } from "./PastEvents.ts"
import { WebhookNotFound } from "./WebhookNotFound.ts"

/** So many of a delivery's last attempts are shown: in a list, and by itself. */
export const shownAttempts = { listed: 10, alone: 100 }

export interface DeliveryPage {
  /** Newest event first. */
  readonly deliveries: ReadonlyArray<ShownDelivery>
  /** None on the last page. */
  readonly next: Option.Option<EventId>
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Of the last 30 days. A null status is all of them. */
    readonly page: (
      owner: Owner,
      webhookId: WebhookId,
      asked: { readonly status: DeliveryStatus | null; readonly behind: EventId | null; readonly limit: number }
    ) => Effect.Effect<DeliveryPage, WebhookNotFound>
    /** Null names none. */
    readonly find: (
      owner: Owner,
      webhookId: WebhookId,
      eventId: EventId | null
    ) => Effect.Effect<ShownDelivery, WebhookNotFound | DeliveryNotFound>
  }
>()("@partner-commentary/core/webhook/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const log = yield* DeliveryLog

      const receiverOf = Effect.fnUntraced(function* (owner: Owner, id: WebhookId) {
        const found = yield* log.receiver(owner, id)
        return Option.isNone(found) ? yield* new WebhookNotFound() : found.value
      })

      return Deliveries.of({
        page: Effect.fnUntraced(function* (owner, webhookId, { behind, limit, status }) {
          const receiver = yield* receiverOf(owner, webhookId)
          const state = status === null ? null : stateOf(status, receiver)
          if (status !== null && state === null) return { deliveries: [], next: Option.none() }
          const now = yield* Instant.now
          const list = { webhookId, state, since: earliestShown(now), behind, limit: limit + 1 }
          const found = yield* log.page(list, shownAttempts.listed, now)
          const listed = found.slice(0, limit)
          const last = listed.at(-1)
          return {
            deliveries: listed.map((delivery) => shown(delivery, receiver)),
            next: found.length > limit && last !== undefined ? Option.some(last.eventId) : Option.none()
          }
        }),

        find: Effect.fnUntraced(function* (owner, webhookId, eventId) {
          const receiver = yield* receiverOf(owner, webhookId)
          if (eventId === null) return yield* new DeliveryNotFound()
          const now = yield* Instant.now
          const found = yield* log.find(webhookId, eventId, earliestShown(now), shownAttempts.alone, now)
          return Option.isNone(found) ? yield* new DeliveryNotFound() : shown(found.value, receiver)
        })
      })
    })
  )
}
