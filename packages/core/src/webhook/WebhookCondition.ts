/** The state of a webhook's receiver, as partners see it. */
import type { Instant } from "../shared/Instant.ts"
import { isHeld, type Receiver } from "./CircuitBreaker.ts"
import type { Webhook } from "./Webhook.ts"
import type { DisabledEntry } from "./WebhookStore.ts"

export interface WebhookCondition {
  /** The time and reason of the disabling; null unless the service has disabled the webhook. */
  readonly disabling: DisabledEntry | null
  /** While the circuit breaker is open, the service sends only probes. `until` is null when a probe is due. */
  readonly circuit: { readonly isOpen: boolean; readonly until: Instant | null }
  /** The number of held deliveries, counted only up to `maxCountedHeldDeliveries`. */
  readonly held: number
}

export interface ReportedWebhook extends Webhook {
  readonly condition: WebhookCondition
}

/** The counting of held deliveries stops at this number. */
export const maxCountedHeldDeliveries = 1000

/** The condition of a new webhook. */
export const newCondition: WebhookCondition = { disabling: null, circuit: { isOpen: false, until: null }, held: 0 }

/** Returns the condition of a receiver. `pending` is the number of the receiver's unfinished deliveries. */
export const conditionOf = (receiver: Receiver, pending: number, disabling: DisabledEntry | null): WebhookCondition => {
  const isOpen = receiver.health.probes !== null
  return {
    disabling: receiver.webhook.status === "disabled" ? disabling : null,
    circuit: { isOpen, until: isOpen ? receiver.quietUntil : null },
    held: isHeld(receiver) ? pending : 0
  }
}
