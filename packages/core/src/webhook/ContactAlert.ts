/**
 * This pure function creates the audit entry and the mail to the webhook's contact. An alert is caused by a receiver
 * that keeps failing, keeps answering 429, or answers 410.
 */

import type { WebhookNoticeKind } from "../mail/WebhookNotices.ts"
import * as Instant from "../shared/Instant.ts"
import type { DeliveryAttempt } from "./Attempt.ts"
import type { ContactAlertReason, ReceiverState } from "./CircuitBreaker.ts"
import type { DeliverySettlement } from "./DeliveryStore.ts"
import { extractHost } from "./WebhookUrl.ts"

/**
 * Returns the audit entry and the mail of an alert; null for both if there is no alert. The contact gets no mail about
 * a webhook of the test environment.
 */
export const makeAlertNoticeAndAudit = (
  { health, webhook }: ReceiverState,
  alarm: ContactAlertReason | null,
  attempt: DeliveryAttempt,
  now: Instant.Instant
): Pick<DeliverySettlement, "notice" | "audit"> => {
  if (alarm === null) return { notice: null, audit: null }
  const { consecutiveFailures: failures, events, id, owner, url } = webhook
  const { throttle } = health
  const since = (alarm === "throttled" ? throttle?.since : health.failingSince) ?? attempt.at
  const until: Readonly<Record<string, string>> =
    alarm === "throttled" && throttle !== null ? { until: Instant.toIso(throttle.until) } : {}
  const reason = attempt.reason ?? ""
  return {
    notice:
      owner.environment === "test"
        ? null
        : {
            kind: kinds[alarm],
            webhook: {
              id,
              host: extractHost(url),
              formerHost: null,
              events,
              keyPrefix: null,
              trouble: { failures, since: Instant.toIso(since), reason, gone: alarm === "gone", ...until }
            },
            organizationId: owner.organizationId,
            at: now
          },
    audit: {
      action: actions[alarm],
      details: { by: "service", failures, since: Instant.toIso(since), reason, status: attempt.status, ...until }
    }
  }
}

const kinds: Readonly<Record<ContactAlertReason, WebhookNoticeKind>> = {
  failing: "webhook_failing",
  gone: "webhook_disabled",
  disabled: "webhook_disabled",
  throttled: "webhook_throttled"
}

const actions = {
  failing: "webhook.failing",
  gone: "webhook.disabled",
  disabled: "webhook.disabled",
  throttled: "webhook.throttled"
} as const
