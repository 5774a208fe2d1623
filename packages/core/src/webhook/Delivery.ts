/** One event on its way to one webhook, as its partner sees it: how it stands, and what was tried. Pure. */
import * as Schema from "effect/Schema"
import type { EventId, ShareId, TopicId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import { isHeld, type Receiver } from "./CircuitBreaker.ts"
import type { AttemptKind } from "./DeliveryPlan.ts"
import type { EventType } from "./EventType.ts"

/** As it is stored. What is held follows from its webhook. */
export type DeliveryState = "pending" | "delivered" | "failed"

export const DeliveryStatus = Schema.Literals(["pending", "held", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

export interface MadeAttempt extends Omit<Attempt, "retryAfter"> {
  readonly kind: AttemptKind
}

export interface Delivery {
  readonly webhookId: WebhookId
  /** A delivery is named by its event, within its webhook. */
  readonly eventId: EventId
  readonly type: EventType
  readonly topicId: TopicId
  readonly shareId: ShareId
  /** When the event happened. */
  readonly createdAt: Instant
  readonly state: DeliveryState
  /** Null where nothing more will happen by itself. */
  readonly dueAt: Instant | null
  /** An attempt was begun, and its lease has not ended. */
  readonly underWay: boolean
  readonly settledAt: Instant | null
  /** All that were made, by the schedule and beside it. */
  readonly attemptCount: number
  /** The last of them, oldest first. */
  readonly attempts: ReadonlyArray<MadeAttempt>
}

/** A delivery, and how it stands. */
export interface ShownDelivery extends Delivery {
  readonly status: DeliveryStatus
  /**
   * Null when none is planned, when one is under way, and when it waits for somebody to bring the webhook back. Of one that the breaker holds, when
   * it is tried next whether the receiver is back: by one of those that wait.
   */
  readonly nextAttemptAt: Instant | null
}

export const shown = (delivery: Delivery, receiver: Receiver): ShownDelivery => {
  const { dueAt, state, underWay } = delivery
  if (state !== "pending" || dueAt === null) return { ...delivery, status: state, nextAttemptAt: null }
  const isPlanned = !underWay && receiver.webhook.status === "active"
  return {
    ...delivery,
    status: isHeld(receiver) ? "held" : "pending",
    nextAttemptAt: isPlanned ? Math.max(dueAt, receiver.quietUntil ?? dueAt) : null
  }
}

/** Where deliveries of this status lie among a webhook's; null where it has none of them. */
export const stateOf = (status: DeliveryStatus, receiver: Receiver): DeliveryState | null => {
  if (status === "delivered" || status === "failed") return status
  return (status === "held") === isHeld(receiver) ? "pending" : null
}
