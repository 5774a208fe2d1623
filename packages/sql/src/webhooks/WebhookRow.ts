/** Maps a webhook and the state of its receiver to a row of the table. */

import { OrganizationId, WebhookId } from "@partner-commentary/core/shared/Ids"
import { fromIso, toIsoOrNull } from "@partner-commentary/core/shared/Instant"
import { Environment } from "@partner-commentary/core/shared/Owner"
import {
  type CircuitBreakerState,
  healthyState,
  type ReceiverState
} from "@partner-commentary/core/webhook/CircuitBreaker"
import { StoredEventType } from "@partner-commentary/core/webhook/EventType"
import { type Webhook, WebhookStatus } from "@partner-commentary/core/webhook/Webhook"
import type { FormerWebhookSecret } from "@partner-commentary/core/webhook/WebhookSecret"
import * as Schema from "effect/Schema"
import { fromIsoOrNull, InstantColumn } from "../database/Columns.ts"

const WebhookRow = Schema.Struct({
  id: WebhookId,
  organizationId: OrganizationId,
  environment: Environment,
  url: Schema.String,
  events: Schema.fromJsonString(Schema.Array(StoredEventType)),
  status: WebhookStatus,
  consecutiveFailures: Schema.Int,
  lastDeliveryAt: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn,
  updatedAt: InstantColumn
}).pipe(
  Schema.encodeKeys({
    organizationId: "organization_id",
    consecutiveFailures: "consecutive_failures",
    lastDeliveryAt: "last_delivery_at",
    createdAt: "created_at",
    updatedAt: "updated_at"
  })
)

const decode = Schema.decodeUnknownSync(WebhookRow)
const encode = Schema.encodeSync(WebhookRow)

export const webhookFromRow = (row: unknown): Webhook => {
  const { environment, organizationId, ...rest } = decode(row)
  return { ...rest, owner: { organizationId, environment } }
}

export const webhookToRow = ({ owner: { environment, organizationId }, ...rest }: Webhook) =>
  encode({ ...rest, organizationId, environment })

/** The columns that deliveries read, including the encrypted secret. */
export interface ReceiverRow {
  readonly id: WebhookId
  readonly organization_id: OrganizationId
  readonly environment: Environment
  readonly url: string
  readonly events: string
  readonly status: WebhookStatus
  readonly consecutive_failures: number
  readonly last_delivery_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly circuit_breaker: string | null
  readonly paused_until: string | null
  readonly encrypted_secret: string
  readonly former_secret: string | null
  readonly former_secret_until: string | null
}

export const formerSecretFromRow = (
  row: Pick<ReceiverRow, "former_secret" | "former_secret_until">
): FormerWebhookSecret | null =>
  row.former_secret === null || row.former_secret_until === null
    ? null
    : { encrypted: row.former_secret, until: fromIso(row.former_secret_until) }

/** The mapping is written by hand for speed, because every delivery reads the row of its webhook. */
export const receiverFromRow = (row: ReceiverRow): ReceiverState => ({
  webhook: {
    id: row.id,
    owner: { organizationId: row.organization_id, environment: row.environment },
    url: row.url,
    events: JSON.parse(row.events),
    status: row.status,
    consecutiveFailures: row.consecutive_failures,
    lastDeliveryAt: fromIsoOrNull(row.last_delivery_at),
    createdAt: fromIso(row.created_at),
    updatedAt: fromIso(row.updated_at)
  },
  health:
    row.circuit_breaker === null
      ? healthyState
      : { ...healthyState, ...(JSON.parse(row.circuit_breaker) as CircuitBreakerState) },
  quietUntil: fromIsoOrNull(row.paused_until)
})

/** Returns the columns of a webhook that deliveries change. */
export const receiverToRow = ({ health, quietUntil, webhook }: ReceiverState) => ({
  status: webhook.status,
  consecutive_failures: webhook.consecutiveFailures,
  last_delivery_at: toIsoOrNull(webhook.lastDeliveryAt),
  circuit_breaker: isHealthy(health) ? null : JSON.stringify(health),
  paused_until: toIsoOrNull(quietUntil)
})

const isHealthy = ({ draining, failingSince, probes, throttle }: CircuitBreakerState): boolean =>
  draining === null && failingSince === null && probes === null && throttle === null
