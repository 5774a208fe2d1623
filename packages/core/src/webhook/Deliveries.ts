/** Partners list deliveries and request retries through this service. DeliveryWorker sends the deliveries. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Principal } from "../access/ApiKeys.ts"
import { toOwner } from "../access/Ownership.ts"
import type { EventId, WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { updateAfterManualRetry } from "./CircuitBreaker.ts"
import {
  addDeliveryStatus,
  type DeliveryStatus,
  type DeliveryWithStatus,
  hasKnownEventType,
  toStoredDeliveryState
} from "./Delivery.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import { scheduleManualAttempt } from "./DeliveryPlan.ts"
import { calculateEarliestListedEventTime } from "./EventHistory.ts"
import { RedeliveryStore } from "./RedeliveryStore.ts"
import { WebhookNotFound } from "./WebhookNotFound.ts"

/** The maximum number of attempts shown for each delivery of a list (`listed`), and for a single delivery (`alone`). */
export const maxShownAttempts = { listed: 10, alone: 100 }

/** The webhook has no delivery of this event, or the delivery was deleted. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {}

export interface DeliveryPage {
  /** The deliveries of the page, newest event first. */
  readonly deliveries: ReadonlyArray<DeliveryWithStatus>
  /** The cursor of the next page; none on the last page. */
  readonly next: Option.Option<EventId>
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Lists deliveries of the last 30 days. If the status is null, the list contains all deliveries. */
    readonly page: (
      owner: Owner,
      webhookId: WebhookId,
      asked: { readonly status: DeliveryStatus | null; readonly behind: EventId | null; readonly limit: number }
    ) => Effect.Effect<DeliveryPage, WebhookNotFound>
    /** Returns one delivery. A null id fails with DeliveryNotFound. */
    readonly find: (
      owner: Owner,
      webhookId: WebhookId,
      eventId: EventId | null
    ) => Effect.Effect<DeliveryWithStatus, WebhookNotFound | DeliveryNotFound>
    /**
     * Requests one immediate attempt, even for a delivered or failed delivery. While an attempt is in flight or already
     * requested, a retry request has no effect. If the webhook is paused or disabled, the delivery keeps waiting. If
     * the circuit breaker is open, the attempt is a probe. A null id fails with DeliveryNotFound.
     */
    readonly retry: (
      principal: Principal,
      webhookId: WebhookId,
      eventId: EventId | null
    ) => Effect.Effect<DeliveryWithStatus, WebhookNotFound | DeliveryNotFound>
  }
>()("@partner-commentary/core/webhook/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const log = yield* DeliveryLog
      const store = yield* RedeliveryStore
      const signal = yield* WorkSignal

      const receiverOf = Effect.fnUntraced(function* (owner: Owner, id: WebhookId) {
        const found = yield* log.receiver(owner, id)
        return Option.isNone(found) ? yield* new WebhookNotFound() : found.value
      })

      const find = Effect.fnUntraced(function* (owner: Owner, webhookId: WebhookId, eventId: EventId | null) {
        const receiver = yield* receiverOf(owner, webhookId)
        if (eventId === null) return yield* new DeliveryNotFound()
        const now = yield* Instant.now
        const found = yield* log.find(
          webhookId,
          eventId,
          calculateEarliestListedEventTime(now),
          maxShownAttempts.alone,
          now
        )
        const delivery = Option.getOrNull(found)
        return delivery === null || !hasKnownEventType(delivery)
          ? yield* new DeliveryNotFound()
          : addDeliveryStatus(delivery, receiver)
      })

      return Deliveries.of({
        page: Effect.fnUntraced(function* (owner, webhookId, { behind, limit, status }) {
          const receiver = yield* receiverOf(owner, webhookId)
          const state = status === null ? null : toStoredDeliveryState(status, receiver)
          if (status !== null && state === null) return { deliveries: [], next: Option.none() }
          const now = yield* Instant.now
          const list = { webhookId, state, since: calculateEarliestListedEventTime(now), behind, limit: limit + 1 }
          const found = yield* log.page(list, maxShownAttempts.listed, now)
          const listed = found.slice(0, limit)
          const last = listed.at(-1)
          return {
            deliveries: listed.filter(hasKnownEventType).map((delivery) => addDeliveryStatus(delivery, receiver)),
            next: found.length > limit && last !== undefined ? Option.some(last.eventId) : Option.none()
          }
        }),

        find,

        retry: Effect.fn("Deliveries.retry")(function* (principal, webhookId, eventId) {
          const owner = toOwner(principal)
          yield* receiverOf(owner, webhookId)
          if (eventId === null) return yield* new DeliveryNotFound()
          const now = yield* Instant.now
          const named = { webhookId, eventId, since: calculateEarliestListedEventTime(now) }
          const audit = {
            action: "webhook.delivery_retried",
            subject: webhookId,
            organizationId: owner.organizationId,
            details: { by: principal.key.id, event: eventId }
          } as const
          const isThere = yield* store.queue(
            named,
            now,
            (present) => scheduleManualAttempt(present, now),
            audit,
            updateAfterManualRetry
          )
          if (!isThere) return yield* new DeliveryNotFound()
          yield* signal.notify
          return yield* find(owner, webhookId, eventId)
        })
      })
    })
  )
}
