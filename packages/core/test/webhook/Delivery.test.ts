/** Tests the status of a delivery, which depends on the stored state of the delivery and on the webhook. */
import { EventId, OrganizationId, ShareId, TopicId, WebhookId } from "@partner-commentary/core/shared/Ids"
import * as CircuitBreaker from "@partner-commentary/core/webhook/CircuitBreaker"
import { addDeliveryStatus, type Delivery, toStoredDeliveryState } from "@partner-commentary/core/webhook/Delivery"
import { extractEventTime, makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import { describe, expect, it } from "vitest"

const now = Date.parse("2026-01-30T12:00:00.000Z")
const id = "019c0e1b-7c4e-7000-8000-000000000001"

const receiver: CircuitBreaker.ReceiverState = {
  webhook: {
    id: WebhookId.make(id),
    owner: { organizationId: OrganizationId.make(id), environment: "live" },
    url: "https://example.com/",
    events: ["creator.approved"],
    status: "active",
    consecutiveFailures: 0,
    lastDeliveryAt: null,
    createdAt: now,
    updatedAt: now
  },
  health: CircuitBreaker.healthyState,
  quietUntil: null
}
const off: ReadonlyArray<CircuitBreaker.ReceiverState> = [
  { ...receiver, webhook: { ...receiver.webhook, status: "paused" } },
  { ...receiver, webhook: { ...receiver.webhook, status: "disabled" } },
  { ...receiver, health: { ...CircuitBreaker.healthyState, probes: 0 }, quietUntil: now + 60_000 }
]

const waiting: Delivery = {
  webhookId: receiver.webhook.id,
  eventId: EventId.make(id),
  type: "creator.approved",
  topicId: TopicId.make(id),
  shareId: ShareId.make(id),
  createdAt: now,
  state: "pending",
  dueAt: now + 5000,
  inFlight: false,
  settledAt: null,
  attemptCount: 1,
  attempts: [],
  payload: null
}

describe("Deliveries", () => {
  it("a waiting delivery is pending with the time of the next attempt, and a delivery in flight has no such time", () => {
    expect(addDeliveryStatus(waiting, receiver)).toMatchObject({ status: "pending", nextAttemptAt: now + 5000 })
    expect(addDeliveryStatus({ ...waiting, inFlight: true }, receiver)).toMatchObject({
      status: "pending",
      nextAttemptAt: null
    })
  })

  it("the next attempt of a delivery is not before the end of the webhook's pause", () => {
    const quiet = { ...receiver, quietUntil: now + 9000 }
    expect(addDeliveryStatus(waiting, quiet)).toMatchObject({ status: "pending", nextAttemptAt: now + 9000 })
    expect(addDeliveryStatus({ ...waiting, dueAt: now + 9001 }, quiet).nextAttemptAt).toBe(now + 9001)
  })

  it("a delivery is held while its webhook is paused or disabled, or while an open circuit breaker waits for its next probe", () => {
    for (const one of off) {
      expect(addDeliveryStatus(waiting, one)).toMatchObject({ status: "held", nextAttemptAt: one.quietUntil })
      expect([toStoredDeliveryState("held", one), toStoredDeliveryState("pending", one)]).toEqual(["pending", null])
    }
    expect([toStoredDeliveryState("held", receiver), toStoredDeliveryState("pending", receiver)]).toEqual([
      null,
      "pending"
    ])
  })

  it("a delivered or failed delivery keeps its status in every state of the webhook", () => {
    for (const one of [receiver, ...off]) {
      for (const state of ["delivered", "failed"] as const) {
        const ended = { ...waiting, state, dueAt: null, settledAt: now }
        expect(addDeliveryStatus(ended, one)).toMatchObject({ status: state, nextAttemptAt: null })
        expect(toStoredDeliveryState(state, one)).toBe(state)
      }
    }
  })

  it("the id of an event contains the time of the event", () => {
    for (const moment of [0, now, 2 ** 40 + 1]) expect(extractEventTime(makeLowestEventId(moment))).toBe(moment)
  })
})
