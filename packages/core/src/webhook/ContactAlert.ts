/**
 * Creates the audit entry and the mail to the contact when a receiver keeps failing, keeps answering 429, or answers
 * 410. The function is pure.
 */

import type { WebhookNoticeKind } from "../mail/WebhookNotices.ts"
import * as Instant from "../shared/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import type { ContactAlert, Receiver } from "./CircuitBreaker.ts"
import type { Settlement } from "./DeliveryStore.ts"
import { hostOf } from "./WebhookUrl.ts"

/** The service sends no mails about webhooks of the test environment. */
export const noticeAndAuditOf = (
  { health, webhook }: Receiver,
  alarm: ContactAlert | null,
  attempt: Attempt,
  now: Instant.Instant
): Pick<Settlement, "notice" | "audit"> => {
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
              host: hostOf(url),
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

const kinds: Readonly<Record<ContactAlert, WebhookNoticeKind>> = {
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
