/**
 * The port that reads deliveries. Callers of DeliveryLog must first check with `receiver` that the owner has the
 * webhook.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { EventId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { ReceiverState } from "./CircuitBreaker.ts"
import type { Delivery, StoredDeliveryState } from "./Delivery.ts"

export interface DeliveryQuery {
  readonly webhookId: WebhookId
  /** The state to list; null lists deliveries in every state. */
  readonly state: StoredDeliveryState | null
  /** The list contains only events at or after `since`. */
  readonly since: Instant
  /** The id of the previous page's last event; null for the first page. */
  readonly behind: EventId | null
  readonly limit: number
}

/** The number of pending deliveries, and the time of the oldest event among them. */
export interface PendingDeliverySummary {
  readonly count: number
  readonly since: Instant
}

export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Returns none when the owner has no webhook with this id. */
    readonly receiver: (owner: Owner, id: WebhookId) => Effect.Effect<Option.Option<ReceiverState>>
    /**
     * Lists deliveries, newest event first. Each delivery has up to `attempts` of its latest attempts, without response
     * excerpts. The store reads a page of deliveries with two indexed queries.
     */
    readonly page: (list: DeliveryQuery, attempts: number, at: Instant) => Effect.Effect<ReadonlyArray<Delivery>>
    /**
     * Finds a delivery with up to `attempts` of its latest attempts, including response excerpts. Returns none if the
     * delivery does not exist or its event is older than `since`.
     */
    readonly find: (
      webhookId: WebhookId,
      eventId: EventId,
      since: Instant,
      attempts: number,
      at: Instant
    ) => Effect.Effect<Option.Option<Delivery>>
    /** Returns the receiver of each webhook and the number of its pending deliveries, counted up to `limit`. */
    readonly receivers: (
      webhookIds: ReadonlyArray<WebhookId>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly receiver: ReceiverState; readonly pending: number }>>
    /**
     * Counts pending deliveries by webhook with one index-only query. The result omits webhooks without pending
     * deliveries.
     */
    readonly waiting: (
      webhookIds: ReadonlyArray<WebhookId>
    ) => Effect.Effect<ReadonlyMap<WebhookId, PendingDeliverySummary>>
  }
>()("@partner-commentary/core/webhook/DeliveryLog") {}
