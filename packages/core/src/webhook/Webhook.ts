/** A registered webhook, and the rules for changes by partners and operators. */
import * as Schema from "effect/Schema"
import type { WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { EventType, StoredEventType } from "./EventType.ts"

/** The statuses that a partner can set. */
export const RequestedWebhookStatus = Schema.Literals(["active", "paused"])
export type RequestedWebhookStatus = typeof RequestedWebhookStatus.Type

/**
 * Partners set the status `paused`, and the service sets `disabled`. A paused or disabled webhook receives no events.
 */
export const WebhookStatus = Schema.Literals(["active", "paused", "disabled"])
export type WebhookStatus = typeof WebhookStatus.Type

export interface Webhook {
  readonly id: WebhookId
  /** The organization and environment whose events the webhook receives. */
  readonly owner: Owner
  /** The webhook's URL, unchanged from the partner's request. */
  readonly url: string
  /** The subscribed event types in the partner's order, without repetitions. */
  readonly events: ReadonlyArray<StoredEventType>
  readonly status: WebhookStatus
  /** The number of consecutive failed attempts across all deliveries of the webhook. */
  readonly consecutiveFailures: number
  readonly lastDeliveryAt: Instant | null
  readonly createdAt: Instant
  /** The time of the last change by the partner or an operator. Deliveries do not change `updatedAt`. */
  readonly updatedAt: Instant
}

/** The maximum number of webhooks of each owner. */
export const maxWebhooksPerOwner = 20

/** A partner's change of a webhook. Absent fields stay unchanged. */
export interface WebhookPatch {
  readonly url?: string
  readonly events?: ReadonlyArray<EventType>
  readonly status?: RequestedWebhookStatus
}

/**
 * Applies a patch. If no field changes, returns the same object. The status `active` also resets the failure count and
 * enables a disabled webhook.
 */
export const applyPatch = (present: Webhook, patch: WebhookPatch, now: Instant): Webhook => {
  const next: Webhook = {
    ...present,
    ...patch,
    consecutiveFailures: patch.status === "active" ? 0 : present.consecutiveFailures
  }
  return listChangedFields(present, next).length === 0 ? present : { ...next, updatedAt: now }
}

/** Returns the names of the changed fields for the audit log. */
export const listChangedFields = (before: Webhook, after: Webhook): ReadonlyArray<string> => [
  ...(before.url === after.url ? [] : ["url"]),
  ...(before.events.join() === after.events.join() ? [] : ["events"]),
  ...(before.status === after.status ? [] : ["status"]),
  ...(before.consecutiveFailures === after.consecutiveFailures ? [] : ["consecutive_failures"])
]
