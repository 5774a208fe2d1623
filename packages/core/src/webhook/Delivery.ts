/**
 * The delivery of one event to one webhook as the partner sees it, with status and attempts. The functions are pure.
 */
import * as Schema from "effect/Schema"
import type { EventId, ShareId, TopicId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import { isHeld, type Receiver } from "./CircuitBreaker.ts"
import type { AttemptKind } from "./DeliveryPlan.ts"
import { type EventType, isKnownType, type StoredEventType } from "./EventType.ts"

/** The state that the database stores. The webhook's state determines whether a pending delivery is held. */
export type DeliveryState = "pending" | "delivered" | "failed"

export const DeliveryStatus = Schema.Literals(["pending", "held", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

export interface RecordedAttempt extends Omit<Attempt, "retryAfter"> {
  readonly kind: AttemptKind
}

export interface Delivery {
  readonly webhookId: WebhookId
  /** The id of the delivered event, which identifies the delivery within its webhook. */
  readonly eventId: EventId
  readonly type: StoredEventType
  readonly topicId: TopicId
  readonly shareId: ShareId
  /** The time at which the event happened. */
  readonly createdAt: Instant
  readonly state: DeliveryState
  /** The time of the next attempt; null when none is scheduled. */
  readonly dueAt: Instant | null
  /** True while an attempt is in flight and the worker's lease is valid. */
  readonly inFlight: boolean
  readonly settledAt: Instant | null
  /** The number of all attempts, both scheduled and manual. */
  readonly attemptCount: number
  /** The latest attempts of the delivery, oldest first. */
  readonly attempts: ReadonlyArray<RecordedAttempt>
  /** The body of the webhook request; null in lists. */
  readonly payload: string | null
}

/** A delivery whose event type is known to this version. */
type KnownDelivery = Delivery & { readonly type: EventType }

export const isKnownDelivery = (delivery: Delivery): delivery is KnownDelivery => isKnownType(delivery.type)

/** The status that partners see. The service derives this status from the delivery and its webhook. */
interface DeliveryProgress {
  readonly status: DeliveryStatus
  /**
   * The time of the next attempt; null when no attempt is planned, an attempt is in flight, or the webhook is inactive.
   * While the breaker is open, this is the time of the next probe, which sends one of the held deliveries.
   */
  readonly nextAttemptAt: Instant | null
}

export type DeliveryWithProgress = KnownDelivery & DeliveryProgress

/** Adds the status that partners see to a delivery. */
export const withProgress = <Kind extends Delivery>(delivery: Kind, receiver: Receiver): Kind & DeliveryProgress => {
  const { dueAt, state, inFlight } = delivery
  if (state !== "pending" || dueAt === null) return { ...delivery, status: state, nextAttemptAt: null }
  const isPlanned = !inFlight && receiver.webhook.status === "active"
  return {
    ...delivery,
    status: isHeld(receiver) ? "held" : "pending",
    nextAttemptAt: isPlanned ? Math.max(dueAt, receiver.quietUntil ?? dueAt) : null
  }
}

/** Returns the stored state for this status. Returns null if the receiver cannot have deliveries with this status. */
export const stateOf = (status: DeliveryStatus, receiver: Receiver): DeliveryState | null => {
  if (status === "delivered" || status === "failed") return status
  return (status === "held") === isHeld(receiver) ? "pending" : null
}
