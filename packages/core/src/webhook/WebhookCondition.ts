/** The state of a webhook's receiver that the API shows to the partner. */
import type { Instant } from "../shared/Instant.ts"
import { holdsDeliveries, type ReceiverState } from "./CircuitBreaker.ts"
import type { Webhook } from "./Webhook.ts"
import type { WebhookDisablingDetails } from "./WebhookStore.ts"

export interface WebhookCondition {
  /** The time and reason of the disabling by the service; null unless the webhook is disabled. */
  readonly disabling: WebhookDisablingDetails | null
  /**
   * While `isOpen` is true, the circuit breaker allows only probes. `until` is the time of the next probe; null when a
   * probe is due now.
   */
  readonly circuit: { readonly isOpen: boolean; readonly until: Instant | null }
  /** The number of held deliveries, capped at `maxCountedHeldDeliveries`. */
  readonly held: number
}

export interface WebhookWithCondition extends Webhook {
  readonly condition: WebhookCondition
}

/** The count of held deliveries stops at this number. */
export const maxCountedHeldDeliveries = 1000

/** The condition of a new webhook. */
export const newWebhookCondition: WebhookCondition = {
  disabling: null,
  circuit: { isOpen: false, until: null },
  held: 0
}

/** Returns the condition of a receiver. `pending` is the number of the receiver's unfinished deliveries. */
export const deriveWebhookCondition = (
  receiver: ReceiverState,
  pending: number,
  disabling: WebhookDisablingDetails | null
): WebhookCondition => {
  const isOpen = receiver.health.probes !== null
  return {
    disabling: receiver.webhook.status === "disabled" ? disabling : null,
    circuit: { isOpen, until: isOpen ? receiver.quietUntil : null },
    held: holdsDeliveries(receiver) ? pending : 0
  }
}
