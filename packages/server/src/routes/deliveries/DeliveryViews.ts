/**
 * Maps webhook deliveries to their JSON form. Only the details of a delivery include excerpts of the receiver's
 * responses; lists omit the excerpts.
 */
import type * as Api from "@partner-commentary/api/DeliveriesApi"
import { toIso, toIsoOrNull } from "@partner-commentary/core/shared/Instant"
import { maxShownAttempts } from "@partner-commentary/core/webhook/Deliveries"
import type { DeliveryWithStatus, RecordedDeliveryAttempt } from "@partner-commentary/core/webhook/Delivery"
import { formatPublicEventId } from "@partner-commentary/core/webhook/Event"
import type { WebhookRecoveryPreview } from "@partner-commentary/core/webhook/WebhookRecovery"

export const toListedDelivery = (delivery: DeliveryWithStatus): typeof Api.Delivery.Type => ({
  ...common(delivery),
  attempts: delivery.attempts.slice(-maxShownAttempts.listed).map(attempt)
})

export const toDeliveryDetail = (delivery: DeliveryWithStatus): typeof Api.DeliveryDetail.Type => ({
  ...common(delivery),
  attempts: delivery.attempts.map((each) => ({ ...attempt(each), response_excerpt: each.excerpt })),
  payload: JSON.parse(delivery.payload ?? "null")
})

const common = (delivery: DeliveryWithStatus) => ({
  id: delivery.eventId,
  webhook_id: delivery.webhookId,
  event_id: formatPublicEventId(delivery.eventId),
  type: delivery.type,
  topic_id: delivery.topicId,
  share_id: delivery.shareId,
  status: delivery.status,
  created_at: toIso(delivery.createdAt),
  next_attempt_at: toIsoOrNull(delivery.nextAttemptAt),
  settled_at: toIsoOrNull(delivery.settledAt),
  attempt_count: delivery.attemptCount
})

const attempt = ({ at, duration, failure, kind, reason, status }: RecordedDeliveryAttempt) => ({
  kind,
  at: toIso(at),
  duration_ms: duration,
  response_code: status,
  error_class: failure,
  error: reason
})

export const toRecoveryResponse = (
  { failed, held, since, until }: WebhookRecoveryPreview,
  isDryRun: boolean
): typeof Api.WebhookRecoverySummary.Type => ({
  since: toIso(since),
  until: toIso(until),
  dry_run: isDryRun,
  count: failed + held,
  failed,
  held
})
