/** A registered webhook, and how partners and operators change it. */
import * as Schema from "effect/Schema"
import type { WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { EventType, StoredEventType } from "./EventType.ts"

/** The webhook statuses that a partner can set. */
export const ChosenStatus = Schema.Literals(["active", "paused"])
export type ChosenStatus = typeof ChosenStatus.Type

/**
 * Partners set the status `paused`, and the service sets `disabled`. In both statuses the webhook receives no events.
 */
export const WebhookStatus = Schema.Literals(["active", "paused", "disabled"])
export type WebhookStatus = typeof WebhookStatus.Type

export interface Webhook {
  readonly id: WebhookId
  /** The webhook receives only events of this organization and environment. */
  readonly owner: Owner
  /** The URL exactly as the partner wrote it. */
  readonly url: string
  /** The webhook's event types in the partner's order, without repetitions. */
  readonly events: ReadonlyArray<StoredEventType>
  readonly status: WebhookStatus
  /** The number of consecutive failed attempts, counted over all deliveries of the webhook. */
  readonly consecutiveFailures: number
  readonly lastDeliveryAt: Instant | null
  readonly createdAt: Instant
  /** The time of the last change by the partner or the operator. Deliveries do not change this time. */
  readonly updatedAt: Instant
}

/** Maximum number of webhooks of one owner. */
export const maxWebhooks = 20

/** The changes that a partner requests. Absent fields stay unchanged. */
export interface WebhookPatch {
  readonly url?: string
  readonly events?: ReadonlyArray<EventType>
  readonly status?: ChosenStatus
}

/**
 * Applies the changes. Returns the same object when nothing changes. The status `active` also resets the failures and
 * enables a disabled webhook.
 */
export const applyPatch = (present: Webhook, patch: WebhookPatch, now: Instant): Webhook => {
  const next: Webhook = {
    ...present,
    ...patch,
    consecutiveFailures: patch.status === "active" ? 0 : present.consecutiveFailures
  }
  return changedFieldsOf(present, next).length === 0 ? present : { ...next, updatedAt: now }
}

/** The names of the changed fields, for the audit log. */
export const changedFieldsOf = (before: Webhook, after: Webhook): ReadonlyArray<string> => [
  ...(before.url === after.url ? [] : ["url"]),
  ...(before.events.join() === after.events.join() ? [] : ["events"]),
  ...(before.status === after.status ? [] : ["status"]),
  ...(before.consecutiveFailures === after.consecutiveFailures ? [] : ["consecutive_failures"])
]
