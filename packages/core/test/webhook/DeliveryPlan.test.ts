/** Tests delivery retries: the schedule, jitter, Retry-After, and the kinds of attempts. */

import { defaults as policy } from "@partner-commentary/core/shared/WebhookPolicy"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import {
  type DeliveryRetryState,
  decideNextDeliveryState,
  type QueuedDeliveryState,
  scheduleManualAttempt
} from "@partner-commentary/core/webhook/DeliveryPlan"
import * as Duration from "effect/Duration"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const now = Date.parse("2026-01-30T12:00:00.000Z")
const hour = 3_600_000

const failed = (changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  at: now - 10,
  duration: 10,
  status: 500,
  failure: "http",
  reason: "No.",
  excerpt: "",
  retryAfter: null,
  ...changes
})
const retryState = (changes: Partial<DeliveryRetryState> = {}): DeliveryRetryState => ({
  attempts: 0,
  resumeAt: null,
  ...changes
})
const scheduled = (attempts: number, attempt: DeliveryAttempt, chance = 0) =>
  decideNextDeliveryState(retryState({ attempts }), { attempt, kind: "scheduled" }, chance, now, policy)

describe("Delivery retry schedule", () => {
  it("the delivery retry delays are 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h: ten attempts over 75 hours", () => {
    const delays = Array.from({ length: 9 }, (_, attempts) => {
      const then = scheduled(attempts, failed())
      return then.state === "pending" ? (then.dueAt - now) / 1000 : null
    })
    expect(delays).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
    expect(delays.reduce((sum: number, delay) => sum + (delay ?? 0), 0)).toBe(75 * 3600 + 35 * 60 + 5)
    expect(scheduled(9, failed())).toEqual({ state: "failed", attempts: 10 })
  })

  it("a delivery retry is never earlier than planned, and later by at most a tenth of the delay", () => {
    void fc.assert(
      fc.property(fc.nat(8), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempts, chance) => {
        const then = scheduled(attempts, failed(), chance)
        const delay = Duration.toMillis(policy.retries[attempts] ?? 0)
        expect(then).toMatchObject({ state: "pending", attempts: attempts + 1 })
        const late = then.state === "pending" ? then.dueAt - now - delay : Number.NaN
        expect(late).toBeGreaterThanOrEqual(0)
        expect(late).toBeLessThanOrEqual(Math.ceil(delay / 10))
      })
    )
  })

  it("a successful attempt of any kind ends the retry schedule of a delivery", () => {
    const success = failed({ status: 200, failure: null, reason: null })
    for (const kind of ["scheduled", "manual", "probe"] as const) {
      expect(
        decideNextDeliveryState(retryState({ attempts: 3, resumeAt: now }), { attempt: success, kind }, 0, now, policy)
      ).toEqual({
        state: "delivered"
      })
    }
  })
})

describe("Retry-After", () => {
  const wait = (retryAfter: string | null, status = 503, attempts = 0) => {
    const then = scheduled(attempts, failed({ status, retryAfter }))
    return then.state === "pending" ? then.dueAt - now : null
  }

  it("Retry-After delays the next retry only in a 503 response, in seconds or as a date, by up to 24 hours", () => {
    expect(wait("3600")).toBe(hour)
    expect(wait(" 3600 ")).toBe(hour)
    expect(wait("Fri, 30 Jan 2026 14:00:00 GMT")).toBe(2 * hour)
    expect(wait("86400")).toBe(24 * hour)
    expect(wait("86401")).toBe(24 * hour)
    expect(wait("999999999999999")).toBe(24 * hour)
    expect(wait("9".repeat(17))).toBe(24 * hour)
    expect(wait("9".repeat(400))).toBe(24 * hour)
    expect(wait("Fri, 30 Jan 2099 14:00:00 GMT")).toBe(24 * hour)
    expect(wait("3600", 500)).toBe(5000)
    expect(wait("3600", 302)).toBe(5000)
  })

  it("a 429 response does not count as an attempt, and the delivery is due again when the webhook's pause ends", () => {
    for (const attempts of [0, 5, 9]) {
      const then = scheduled(attempts, failed({ status: 429, retryAfter: "3600" }))
      expect(then).toEqual({ state: "pending", attempts, dueAt: now })
    }
  })

  it("a delivery that gets only 429 fails after the duration of a full retry schedule, but not because of a manual attempt", () => {
    const attempt = failed({ status: 429, retryAfter: "3600" })
    const then = (kind: "scheduled" | "manual" | "probe", resumeAt: number | null = null) =>
      decideNextDeliveryState(
        retryState({ attempts: 5, resumeAt }),
        { attempt, kind, isExhausted: true },
        0,
        now,
        policy
      )
    for (const kind of ["scheduled", "probe"] as const) expect(then(kind)).toEqual({ state: "failed", attempts: 5 })
    expect(then("manual", now + hour)).toEqual({ state: "pending", attempts: 5, dueAt: now + hour })
    const server = failed({ status: 503 })
    expect(
      decideNextDeliveryState(retryState(), { attempt: server, kind: "scheduled", isExhausted: true }, 0, now, policy)
        .state
    ).toBe("pending")
  })

  it("Retry-After never makes a retry earlier, and an invalid Retry-After is ignored", () => {
    for (const text of [
      "0",
      "4",
      "-5",
      "1.5",
      "soon",
      "",
      "Fri, 30 Jan 2026 11:00:00 GMT",
      "Fri, 99 Jan 2026 14:00:00 GMT"
    ])
      expect(wait(text)).toBe(5000)
    expect(wait(null)).toBe(5000)
    expect(wait("60", 503, 3)).toBe(2 * hour)
  })

  it("Retry-After does not increase the number of attempts", () => {
    expect(scheduled(9, failed({ status: 503, retryAfter: "60" }))).toEqual({ state: "failed", attempts: 10 })
  })
})

describe("Probes, manual attempts and attempts without a signature", () => {
  it("a failed probe does not count as an attempt, and the delivery moves to the end of the queue", () => {
    for (const attempts of [0, 5, 9]) {
      expect(
        decideNextDeliveryState(retryState({ attempts }), { attempt: failed(), kind: "probe" }, 0.5, now, policy)
      ).toEqual({
        state: "pending",
        attempts,
        dueAt: now
      })
    }
  })

  it("a failed manual attempt does not count as a scheduled attempt, and does not restart a schedule that has ended", () => {
    const by = (resumeAt: number | null) =>
      decideNextDeliveryState(
        retryState({ attempts: 4, resumeAt }),
        { attempt: failed(), kind: "manual" },
        0.5,
        now,
        policy
      )
    expect(by(now + hour)).toEqual({ state: "pending", attempts: 4, dueAt: now + hour })
    expect(by(now - hour)).toEqual({ state: "pending", attempts: 4, dueAt: now })
    expect(by(null)).toEqual({ state: "failed", attempts: 4 })
  })

  it("an attempt that fails because signing was impossible is not counted, and is repeated after an hour", () => {
    expect(scheduled(9, failed({ status: null, failure: "unsigned" }))).toEqual({
      state: "pending",
      attempts: 9,
      dueAt: now + hour
    })
  })
})

describe("Requests for manual attempts", () => {
  const queued = (changes: Partial<QueuedDeliveryState> = {}): QueuedDeliveryState => ({
    dueAt: now + hour,
    inFlight: false,
    manual: false,
    resumeAt: null,
    ...changes
  })

  it("a requested manual attempt is due now, and the delivery keeps the scheduled due time for later", () => {
    expect(scheduleManualAttempt(queued(), now)).toEqual({ dueAt: now, resumeAt: now + hour })
    expect(scheduleManualAttempt(queued({ dueAt: null }), now)).toEqual({ dueAt: now, resumeAt: null })
  })

  it("a request for a manual attempt does not change the position of an overdue delivery in the queue", () => {
    expect(scheduleManualAttempt(queued({ dueAt: now - hour }), now)).toEqual({
      dueAt: now - hour,
      resumeAt: now - hour
    })
  })

  it("a request for a manual attempt is ignored while an attempt is in flight or a requested attempt is due", () => {
    expect(scheduleManualAttempt(queued({ inFlight: true }), now)).toBeNull()
    expect(scheduleManualAttempt(queued({ manual: true, dueAt: now }), now)).toBeNull()
  })

  it("if a requested manual attempt is delayed, a second request makes it due now and keeps the schedule", () => {
    const off = queued({ manual: true, resumeAt: now + 2 * hour })
    expect(scheduleManualAttempt(off, now)).toEqual({ dueAt: now, resumeAt: now + 2 * hour })
    expect(scheduleManualAttempt({ ...off, resumeAt: null }, now)).toEqual({ dueAt: now, resumeAt: null })
  })
})
