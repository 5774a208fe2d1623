/** A registered webhook, and how partners and operators change it. */
import * as Schema from "effect/Schema"
import type { WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { EventType } from "./EventType.ts"

/** The statuses that a partner can set. */
export const ChosenStatus = Schema.Literals(["active", "paused"])
export type ChosenStatus = typeof ChosenStatus.Type

/** `paused` by the partner, `disabled` by the service. Neither is sent events. */
export const WebhookStatus = Schema.Literals(["active", "paused", "disabled"])
export type WebhookStatus = typeof WebhookStatus.Type

export interface Webhook {
  readonly id: WebhookId
  /** Only events of this organization and environment are sent. */
  readonly owner: Owner
  /** As the partner wrote it. */
  readonly url: string
  /** In the partner's order, each once. */
  readonly events: ReadonlyArray<EventType>
  readonly status: WebhookStatus
  /** Consecutive failed attempts over all deliveries. */
  readonly consecutiveFailures: number
  readonly lastDeliveryAt: Instant | null
  readonly createdAt: Instant
  /** The last change by partner or operator. Deliveries do not count. */
  readonly updatedAt: Instant
}

/** Maximum number of webhooks for each owner. */
export const maxWebhooks = 20

/** A partner's changes. Absent fields stay. */
export interface WebhookPatch {
  readonly url?: string
  readonly events?: ReadonlyArray<EventType>
  readonly status?: ChosenStatus
}

/** Returns the same object when nothing changes. `active` also resets the failures, and enables a disabled webhook. */
export const changed = (present: Webhook, patch: WebhookPatch, now: Instant): Webhook => {
  const next: Webhook = {
    ...present,
    ...patch,
    consecutiveFailures: patch.status === "active" ? 0 : present.consecutiveFailures
  }
  return differences(present, next).length === 0 ? present : { ...next, updatedAt: now }
}

/** The names of the changed fields, for the audit log. */
export const differences = (before: Webhook, after: Webhook): ReadonlyArray<string> => [
  ...(before.url === after.url ? [] : ["url"]),
  ...(before.events.join() === after.events.join() ? [] : ["events"]),
  ...(before.status === after.status ? [] : ["status"]),
  ...(before.consecutiveFailures === after.consecutiveFailures ? [] : ["consecutive_failures"])
]
