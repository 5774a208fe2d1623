/** What is written down, and mailed to the contact, when a receiver fails for long or for good. Pure. */
import * as Instant from "../shared/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import type { Settlement } from "./DeliveryStore.ts"
import type { Alarm, Receiver } from "./Health.ts"
import type { WebhookNoticeKind } from "./WebhookNotices.ts"
import { hostOf } from "./WebhookUrl.ts"

/** Nobody is mailed about the test environment. */
export const troubled = (
  { health, webhook }: Receiver,
  alarm: Alarm | null,
  attempt: Attempt,
  now: Instant.Instant
): Pick<Settlement, "mail" | "audit"> => {
  if (alarm === null) return { mail: null, audit: null }
  const { consecutiveFailures: failures, events, id, owner, url } = webhook
  const since = health.failingSince ?? attempt.at
  const kind: WebhookNoticeKind = alarm === "failing" ? "webhook_failing" : "webhook_disabled"
  const reason = attempt.reason ?? ""
  return {
    mail:
      owner.environment === "test"
        ? null
        : {
            id: `${id}.${alarm}-${now}`,
            kind,
            shareId: null,
            webhook: {
              id,
              host: hostOf(url),
              formerHost: null,
              events,
              keyPrefix: null,
              trouble: { failures, since: Instant.toIso(since), reason, gone: alarm === "gone" }
            },
            organizationId: owner.organizationId,
            address: null,
            createdAt: now
          },
    audit: {
      action: alarm === "failing" ? "webhook.failing" : "webhook.disabled",
      details: { by: "service", failures, since: Instant.toIso(since), reason, status: attempt.status }
    }
  }
}
