/** The port that reads deliveries. Callers first check with `receiver` that the owner has the webhook. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { EventId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Receiver } from "./CircuitBreaker.ts"
import type { Delivery, DeliveryState } from "./Delivery.ts"

export interface DeliveryList {
  readonly webhookId: WebhookId
  /** The state of the listed deliveries; null selects all deliveries. */
  readonly state: DeliveryState | null
  /** The list contains only events that happened at this time or later. */
  readonly since: Instant
  /** The last event of the previous page; null on the first page. */
  readonly behind: EventId | null
  readonly limit: number
}

/** The number of unfinished deliveries, and the time of the oldest unfinished event. */
export interface PendingDeliveries {
  readonly count: number
  readonly since: Instant
}

export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Returns the webhook and its breaker state, or none when the owner has no such webhook. */
    readonly receiver: (owner: Owner, id: WebhookId) => Effect.Effect<Option.Option<Receiver>>
    /**
     * Lists deliveries by event, newest first. Each has up to `attempts` of its latest attempts, without response
     * excerpts. A page needs two index queries, whatever the number of deliveries.
     */
    readonly page: (list: DeliveryList, attempts: number, at: Instant) => Effect.Effect<ReadonlyArray<Delivery>>
    /**
     * Finds a delivery with up to `attempts` of its latest attempts, including response excerpts. Returns none when the
     * delivery does not exist or its event is older than `since`.
     */
    readonly find: (
      webhookId: WebhookId,
      eventId: EventId,
      since: Instant,
      attempts: number,
      at: Instant
    ) => Effect.Effect<Option.Option<Delivery>>
    /**
     * Returns the receivers of these webhooks with the number of their unfinished deliveries, counted up to `limit`.
     */
    readonly receivers: (
      webhookIds: ReadonlyArray<WebhookId>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly receiver: Receiver; readonly pending: number }>>
    /**
     * Counts unfinished deliveries by webhook. Webhooks without unfinished deliveries are absent. The count needs one
     * index-only query.
     */
    readonly waiting: (webhookIds: ReadonlyArray<WebhookId>) => Effect.Effect<ReadonlyMap<WebhookId, PendingDeliveries>>
  }
>()("@partner-commentary/core/webhook/DeliveryLog") {}
