/** The delivery of one event to one webhook as the partner sees it: its status and attempts. Pure. */
import * as Schema from "effect/Schema"
import type { EventId, ShareId, TopicId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import { isHeld, type Receiver } from "./CircuitBreaker.ts"
import type { AttemptKind } from "./DeliveryPlan.ts"
import { type EventType, isKnownType, type StoredEventType } from "./EventType.ts"

/** The state that the database stores. Whether a delivery is held follows from its webhook. */
export type DeliveryState = "pending" | "delivered" | "failed"

export const DeliveryStatus = Schema.Literals(["pending", "held", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

export interface RecordedAttempt extends Omit<Attempt, "retryAfter"> {
  readonly kind: AttemptKind
}

export interface Delivery {
  readonly webhookId: WebhookId
  /** The event's id identifies the delivery within its webhook. */
  readonly eventId: EventId
  readonly type: StoredEventType
  readonly topicId: TopicId
  readonly shareId: ShareId
  /** The time at which the event happened. */
  readonly createdAt: Instant
  readonly state: DeliveryState
  /** The time of the next attempt; null when none is scheduled. */
  readonly dueAt: Instant | null
  /** True while an attempt is in flight and its lease is valid. */
  readonly inFlight: boolean
  readonly settledAt: Instant | null
  /** The number of all attempts, scheduled and manual. */
  readonly attemptCount: number
  /** The latest attempts, oldest first. */
  readonly attempts: ReadonlyArray<RecordedAttempt>
  /** The request body that is sent; null in lists. */
  readonly payload: string | null
}

/** A delivery of a type that this version knows. */
type KnownDelivery = Delivery & { readonly type: EventType }

export const isKnownDelivery = (delivery: Delivery): delivery is KnownDelivery => isKnownType(delivery.type)

/** The derived status of a delivery. */
interface DeliveryProgress {
  readonly status: DeliveryStatus
  /**
   * The value is null when no attempt is planned, when an attempt is in flight, and when the webhook is not active.
   * With an open breaker, this is the time of the next probe, which uses one of the held deliveries.
   */
  readonly nextAttemptAt: Instant | null
}

export type DeliveryWithProgress = KnownDelivery & DeliveryProgress

/** Adds the derived status to a delivery. */
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

/**
 * Returns the stored state that corresponds to this status; null if the receiver cannot have deliveries with this
 * status.
 */
export const stateOf = (status: DeliveryStatus, receiver: Receiver): DeliveryState | null => {
  if (status === "delivered" || status === "failed") return status
  return (status === "held") === isHeld(receiver) ? "pending" : null
}
