/** Maps webhooks to their JSON form in responses. */
import type * as Api from "@partner-commentary/api/WebhooksApi"
import { toIso, toIsoOrNull } from "@partner-commentary/core/shared/Instant"
import { isKnownEventType } from "@partner-commentary/core/webhook/EventType"
import type { TestEventResult } from "@partner-commentary/core/webhook/TestEventSender"
import type { WebhookWithCondition } from "@partner-commentary/core/webhook/WebhookCondition"
import type { WebhookSecretRotationResult } from "@partner-commentary/core/webhook/Webhooks"
import * as Redacted from "effect/Redacted"

export const toWebhook = ({ condition, ...webhook }: WebhookWithCondition): typeof Api.Webhook.Type => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events.filter(isKnownEventType),
  status: webhook.status,
  consecutive_failures: webhook.consecutiveFailures,
  last_delivery_at: toIsoOrNull(webhook.lastDeliveryAt),
  created_at: toIso(webhook.createdAt),
  updated_at: toIso(webhook.updatedAt),
  disabled_reason: condition.disabling?.reason ?? null,
  disabled_at: toIsoOrNull(condition.disabling?.at ?? null),
  circuit: { state: condition.circuit.isOpen ? "open" : "closed", open_until: toIsoOrNull(condition.circuit.until) },
  held_count: condition.held
})

export const toRotatedWebhook = ({
  formerUntil,
  secret,
  webhook
}: WebhookSecretRotationResult): typeof Api.RotatedWebhook.Type => ({
  ...toWebhook(webhook),
  secret: Redacted.value(secret),
  former_secret_expires_at: toIsoOrNull(formerUntil)
})

export const toWebhookTest = ({ attempt, eventId }: TestEventResult): typeof Api.WebhookTestResult.Type => ({
  success: attempt.failure === null,
  test_event_id: eventId,
  delivery_status: attempt.failure === null ? "delivered" : "failed",
  response_code: attempt.status,
  error: attempt.reason
})
