/** Where a partner's server is told of events: what is known of it, and how partner and operator change it. Delivering is others'. */
import * as Schema from "effect/Schema"
import type { WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { EventType } from "./EventType.ts"

/** What a partner may set. */
export const ChosenStatus = Schema.Literals(["active", "paused"])
export type ChosenStatus = typeof ChosenStatus.Type

/** `paused` by the partner, `disabled` by us: either way nothing is sent. */
export const WebhookStatus = Schema.Literals(["active", "paused", "disabled"])
export type WebhookStatus = typeof WebhookStatus.Type

export interface Webhook {
  readonly id: WebhookId
  /** It is told of events of this organization and environment alone. */
  readonly owner: Owner
  /** As the partner wrote it. */
  readonly url: string
  /** In the partner's order, each once. */
  readonly events: ReadonlyArray<EventType>
  readonly status: WebhookStatus
  /** Failed attempts in a row, over all deliveries. */
  readonly consecutiveFailures: number
  readonly lastDeliveryAt: Instant | null
  readonly createdAt: Instant
  /** Of the last change by partner or operator; deliveries do not count. */
  readonly updatedAt: Instant
}

/** An owner has so many at most. */
export const maxWebhooks = 20

/** What a partner wants otherwise; what is absent stays. */
export interface WebhookPatch {
  readonly url?: string
  readonly events?: ReadonlyArray<EventType>
  readonly status?: ChosenStatus
}

/** The very same object where nothing changes. `active` also forgets the failures, and brings back a disabled one. */
export const changed = (present: Webhook, patch: WebhookPatch, now: Instant): Webhook => {
  const next: Webhook = {
    ...present,
    ...patch,
    consecutiveFailures: patch.status === "active" ? 0 : present.consecutiveFailures
  }
  return differences(present, next).length === 0 ? present : { ...next, updatedAt: now }
}

/** What of it a change touched, for the record. */
export const differences = (before: Webhook, after: Webhook): ReadonlyArray<string> => [
  ...(before.url === after.url ? [] : ["url"]),
  ...(before.events.join() === after.events.join() ? [] : ["events"]),
  ...(before.status === after.status ? [] : ["status"]),
  ...(before.consecutiveFailures === after.consecutiveFailures ? [] : ["consecutive_failures"])
]
