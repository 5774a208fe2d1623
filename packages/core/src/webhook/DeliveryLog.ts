/** The port that shows how deliveries stand. It changes nothing; whose webhook it is, is asked first, by `receiver`. */
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
  /** Null: all of them. */
  readonly state: DeliveryState | null
  /** Of events of this moment and later ones. */
  readonly since: Instant
  /** The last one of the page before; null for the first page. */
  readonly behind: EventId | null
  readonly limit: number
}

/** How many deliveries have not ended, and when the oldest's event happened. */
export interface Waiting {
  readonly count: number
  readonly since: Instant
}

export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** None when the owner has no such webhook. */
    readonly receiver: (owner: Owner, id: WebhookId) => Effect.Effect<Option.Option<Receiver>>
    /**
     * Newest event first, each with so many of its last attempts at most, without excerpts: two queries, by indexes, however
     * many deliveries there are.
     */
    readonly page: (list: DeliveryList, attempts: number, at: Instant) => Effect.Effect<ReadonlyArray<Delivery>>
    /** With so many of its last attempts at most, excerpts included. None when the event is older than `since`, too. */
    readonly find: (
      webhookId: WebhookId,
      eventId: EventId,
      since: Instant,
      attempts: number,
      at: Instant
    ) => Effect.Effect<Option.Option<Delivery>>
    /** What has not ended, by webhook: those without any are left out. One query, by an index alone. */
    readonly waiting: (webhookIds: ReadonlyArray<WebhookId>) => Effect.Effect<ReadonlyMap<WebhookId, Waiting>>
  }
>()("@partner-commentary/core/webhook/DeliveryLog") {}
