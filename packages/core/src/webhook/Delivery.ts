/**
 * The partner's view of the delivery of one event to one webhook. The pure functions in this file derive a delivery's
 * status and next attempt.
 */
import * as Schema from "effect/Schema"
import type { EventId, ShareId, TopicId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { DeliveryAttempt } from "./Attempt.ts"
import { holdsDeliveries, type ReceiverState } from "./CircuitBreaker.ts"
import type { DeliveryAttemptKind } from "./DeliveryPlan.ts"
import { type EventType, isKnownEventType, type StoredEventType } from "./EventType.ts"

/** The delivery state in the database. The status `held` is not stored: it is derived from the delivery's webhook. */
export type StoredDeliveryState = "pending" | "delivered" | "failed"

export const DeliveryStatus = Schema.Literals(["pending", "held", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

export interface RecordedDeliveryAttempt extends Omit<DeliveryAttempt, "retryAfter"> {
  readonly kind: DeliveryAttemptKind
}

export interface Delivery {
  readonly webhookId: WebhookId
  /** The id of the delivered event, which identifies the delivery within its webhook. */
  readonly eventId: EventId
  readonly type: StoredEventType
  readonly topicId: TopicId
  readonly shareId: ShareId
  /** The time of the event. */
  readonly createdAt: Instant
  readonly state: StoredDeliveryState
  /** The time of the next attempt; null when no attempt is scheduled. */
  readonly dueAt: Instant | null
  /** True while an attempt is in flight and the worker's lease is valid. */
  readonly inFlight: boolean
  readonly settledAt: Instant | null
  /** The total number of attempts, including manual attempts. */
  readonly attemptCount: number
  /** The latest attempts of the delivery, oldest first. */
  readonly attempts: ReadonlyArray<RecordedDeliveryAttempt>
  /** The body of the webhook request; null when the delivery is part of a list. */
  readonly payload: string | null
}

/** A delivery whose event type is known to this version of the service. */
type KnownDelivery = Delivery & { readonly type: EventType }

export const hasKnownEventType = (delivery: Delivery): delivery is KnownDelivery => isKnownEventType(delivery.type)

/** The delivery's status and next attempt, derived from the delivery and its webhook. */
interface DeliveryProgress {
  readonly status: DeliveryStatus
  /**
   * The time of the next attempt. Null if no attempt is planned, an attempt is in flight, or the webhook is not active.
   * If the circuit breaker is open, the next attempt is the next probe.
   */
  readonly nextAttemptAt: Instant | null
}

export type DeliveryWithStatus = KnownDelivery & DeliveryProgress

/** Returns the delivery together with the status and the next attempt that partners see. */
export const addDeliveryStatus = <Kind extends Delivery>(
  delivery: Kind,
  receiver: ReceiverState
): Kind & DeliveryProgress => {
  const { dueAt, state, inFlight } = delivery
  if (state !== "pending" || dueAt === null) return { ...delivery, status: state, nextAttemptAt: null }
  const isPlanned = !inFlight && receiver.webhook.status === "active"
  return {
    ...delivery,
    status: holdsDeliveries(receiver) ? "held" : "pending",
    nextAttemptAt: isPlanned ? Math.max(dueAt, receiver.quietUntil ?? dueAt) : null
  }
}

/**
 * Returns the stored state that corresponds to a delivery status. Returns null if no delivery to the receiver can have
 * the given status.
 */
export const toStoredDeliveryState = (status: DeliveryStatus, receiver: ReceiverState): StoredDeliveryState | null => {
  if (status === "delivered" || status === "failed") return status
  return (status === "held") === holdsDeliveries(receiver) ? "pending" : null
}
