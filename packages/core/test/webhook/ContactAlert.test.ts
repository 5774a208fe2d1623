import { OrganizationId, WebhookId } from "@partner-commentary/core/shared/Ids"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import * as CircuitBreaker from "@partner-commentary/core/webhook/CircuitBreaker"
import { makeAlertNoticeAndAudit } from "@partner-commentary/core/webhook/ContactAlert"
import { describe, expect, it } from "vitest"

const start = 1_772_355_600_000

const receiver = (environment: "live" | "test"): CircuitBreaker.ReceiverState => ({
  webhook: {
    id: WebhookId.make("019c0e1b-7c4e-7000-8000-000000000001"),
    owner: { organizationId: OrganizationId.make("019c0e1b-7c4e-7000-8000-000000000002"), environment },
    url: "https://example.com/",
    events: ["creator.approved"],
    status: "disabled",
    consecutiveFailures: 3,
    lastDeliveryAt: null,
    createdAt: start,
    updatedAt: start
  },
  health: CircuitBreaker.healthyState,
  quietUntil: null
})

const attempt: DeliveryAttempt = {
  at: start,
  duration: 10,
  status: 410,
  failure: "http",
  reason: "No.",
  excerpt: "",
  retryAfter: null
}

describe("Alert to a webhook's contact", () => {
  it("the mail says that a receiver is gone only if the receiver answered 410", () => {
    const goneOf = (alarm: CircuitBreaker.ContactAlertReason) =>
      makeAlertNoticeAndAudit(receiver("live"), alarm, attempt, start).notice?.webhook.trouble?.gone
    expect(goneOf("gone")).toBe(true)
    expect(goneOf("disabled")).toBe(false)
    expect(goneOf("failing")).toBe(false)
  })

  it("a webhook of the test environment gets an audit entry and no mail", () => {
    const { audit, notice } = makeAlertNoticeAndAudit(receiver("test"), "gone", attempt, start)
    expect([audit?.action, notice]).toEqual(["webhook.disabled", null])
  })
})
