/** The port that reads deliveries. Callers first check ownership with `receiver`. */
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
  /** A null state selects all deliveries. */
  readonly state: DeliveryState | null
  /** Only events of this time or later are listed. */
  readonly since: Instant
  /** The last event of the previous page; null on the first page. */
  readonly behind: EventId | null
  readonly limit: number
}

/** The number of unfinished deliveries, and the time of the oldest one's event. */
export interface PendingDeliveries {
  readonly count: number
  readonly since: Instant
}

export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Returns none when the owner has no such webhook. */
    readonly receiver: (owner: Owner, id: WebhookId) => Effect.Effect<Option.Option<Receiver>>
    /**
     * Lists deliveries with the newest event first, each with up to `attempts` of its latest attempts, without
     * excerpts. The page needs two index queries, independent of the number of deliveries.
     */
    readonly page: (list: DeliveryList, attempts: number, at: Instant) => Effect.Effect<ReadonlyArray<Delivery>>
    /**
     * Finds a delivery with up to `attempts` of its latest attempts, including excerpts. Returns none also when the
     * event is older than `since`.
     */
    readonly find: (
      webhookId: WebhookId,
      eventId: EventId,
      since: Instant,
      attempts: number,
      at: Instant
    ) => Effect.Effect<Option.Option<Delivery>>
    /** The receivers of these webhooks with their unfinished deliveries, which are counted up to `limit`. */
    readonly receivers: (
      webhookIds: ReadonlyArray<WebhookId>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly receiver: Receiver; readonly pending: number }>>
    /**
     * Counts unfinished deliveries by webhook, and omits webhooks that have none. The count needs one index-only query.
     */
    readonly waiting: (webhookIds: ReadonlyArray<WebhookId>) => Effect.Effect<ReadonlyMap<WebhookId, PendingDeliveries>>
  }
>()("@partner-commentary/core/webhook/DeliveryLog") {}
