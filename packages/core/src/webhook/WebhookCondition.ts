/** The state of a webhook's receiver, as the partner sees it. */
import type { Instant } from "../shared/Instant.ts"
import { isHeld, type Receiver } from "./CircuitBreaker.ts"
import type { Webhook } from "./Webhook.ts"
import type { DisabledEntry } from "./WebhookStore.ts"

export interface WebhookCondition {
  /** The value is null unless the service has disabled the webhook. */
  readonly disabling: DisabledEntry | null
  /** The circuit breaker is open: only probes are sent. `until` is null when a probe is due. */
  readonly circuit: { readonly isOpen: boolean; readonly until: Instant | null }
  /** The number of held deliveries, counted up to `maxCountedHeldDeliveries`. */
  readonly held: number
}

export interface ReportedWebhook extends Webhook {
  readonly condition: WebhookCondition
}

/** The largest number of held deliveries that is counted. */
export const maxCountedHeldDeliveries = 1000

/** The condition of a new webhook. */
export const conditionOfNewWebhook: WebhookCondition = {
  disabling: null,
  circuit: { isOpen: false, until: null },
  held: 0
}

/** `pending` is the number of the receiver's unfinished deliveries. */
export const conditionOf = (receiver: Receiver, pending: number, disabling: DisabledEntry | null): WebhookCondition => {
  const isOpen = receiver.health.probes !== null
  return {
    disabling: receiver.webhook.status === "disabled" ? disabling : null,
    circuit: { isOpen, until: isOpen ? receiver.quietUntil : null },
    held: isHeld(receiver) ? pending : 0
  }
}
