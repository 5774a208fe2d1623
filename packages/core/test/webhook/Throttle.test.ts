/**
 * These tests check the effects of 429 responses at their exact limits: the length and extension of pauses, the failure
 * of deliveries, and notices to the contact.
 */

import { defaults as policy } from "@partner-commentary/core/shared/WebhookPolicy"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import * as Throttle from "@partner-commentary/core/webhook/Throttle"
import { describe, expect, it } from "vitest"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const start = Date.parse("2026-01-30T12:00:00.000Z")

const busy = (at: number, retryAfter: string | null = null): Pick<DeliveryAttempt, "at" | "retryAfter" | "status"> => ({
  at,
  retryAfter,
  status: 429
})

/** Runs this number of consecutive pauses, with a 429 response at the end of each pause. */
const paused = (count: number, retryAfter: string | null = null) => {
  const waits: Array<number> = []
  let throttle: Throttle.WebhookThrottleState | null = null
  let now = start
  for (let made = 0; made < count; made++) {
    throttle = Throttle.updateAfter429(throttle, busy(now, retryAfter), now, policy)
    waits.push(throttle.until - now)
    now = throttle.until
  }
  return { waits, throttle: throttle as unknown as Throttle.WebhookThrottleState, now }
}

describe("Pauses after 429", () => {
  it("consecutive pauses after 429 double from 5 seconds up to 30 minutes", () => {
    expect(paused(11).waits.map((wait) => wait / second)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800])
  })

  it("the pause after 429 lasts until Retry-After if Retry-After is later", () => {
    expect(paused(5, "30").waits.map((wait) => wait / second)).toEqual([30, 30, 30, 40, 80])
    expect(paused(1, "Fri, 30 Jan 2026 14:00:00 GMT").waits).toEqual([2 * hour])
    for (const text of ["86400", "86401", "9".repeat(17), "9".repeat(400), "Fri, 30 Jan 2099 14:00:00 GMT"]) {
      expect(paused(1, text).waits).toEqual([24 * hour])
    }
    for (const text of ["soon", "-5", "", "0"]) expect(paused(1, text).waits).toEqual([5 * second])
  })

  it("429 responses to deliveries in flight at the start of a pause count as one 429 with the latest Retry-After", () => {
    const first = Throttle.updateAfter429(null, busy(start), start + 10, policy)
    const other = Throttle.updateAfter429(first, busy(start + 5, "60"), start + 20, policy)
    expect(other).toEqual({ ...first, until: start + 20 + minute })
    expect(Throttle.updateAfter429(other, busy(start, "1"), start + 30, policy)).toEqual(other)
  })

  it("a success resets the length of pauses after 429, unless the attempt started before the pause", () => {
    const { now, throttle } = paused(4)
    expect(Throttle.updateAfterSuccess(throttle, { at: throttle.pausedAt }, now, policy)).toBe(throttle)
    const eased = Throttle.updateAfterSuccess(throttle, { at: now }, now + 10, policy)
    expect(eased).toEqual({ ...throttle, pauses: 0 })
    const next = Throttle.updateAfter429(eased, busy(now + second), now + second, policy)
    expect(next.until - next.pausedAt).toBe(5 * second)
    expect(next.since).toBe(start)
  })

  it("if a pause ended an hour ago, the next 429 causes a pause of the shortest length", () => {
    const { now, throttle } = paused(4)
    expect(Throttle.updateAfterSuccess(throttle, { at: now }, now + hour - 1, policy)).not.toBe(null)
    expect(Throttle.updateAfterSuccess(throttle, { at: now }, now + hour, policy)).toBe(null)
    expect(Throttle.updateAfter429(throttle, busy(now + hour), now + hour, policy)).toMatchObject({
      since: now + hour,
      pauses: 1
    })
  })

  it("a 429 response that arrives after the clock was set back starts a new pause", () => {
    const { throttle } = paused(2)
    const back = start - 2 * hour
    expect(Throttle.updateAfter429(throttle, busy(back), back, policy).until).toBe(back + 20 * second)
  })
})

describe("Deliveries that get only 429", () => {
  const schedule = 75 * hour + 35 * minute + 5 * second
  const isExhausted = (throttle: Throttle.WebhookThrottleState | null, now: number, happenedAt = start) =>
    Throttle.isThrottledForFullSchedule(throttle, happenedAt, now, policy)

  it("a delivery fails if the receiver has answered only 429 for a full retry schedule and the event is at least that old", () => {
    const { throttle } = paused(3, "86400")
    expect(isExhausted(throttle, start + schedule - 1)).toBe(false)
    expect(isExhausted(throttle, start + schedule)).toBe(true)
    expect(isExhausted(throttle, start + schedule, start + 1)).toBe(false)
    expect(isExhausted(throttle, start + schedule, start - 30 * 24 * hour)).toBe(true)
    expect(isExhausted(throttle, start + schedule - 1, start - 30 * 24 * hour)).toBe(false)
    expect(isExhausted(null, start + schedule)).toBe(false)
  })

  it("after a success or a recovery, the next 429 starts a new time limit for deliveries that get only 429", () => {
    const { now, throttle } = paused(3, "86400")
    const later = now + schedule
    for (const anew of [
      Throttle.updateAfterSuccess(throttle, { at: now }, now, policy),
      Throttle.updateAfterRecoveryStart(throttle)
    ]) {
      expect(isExhausted(Throttle.updateAfter429(anew, busy(now, "86400"), now, policy), later - 1)).toBe(false)
      expect(isExhausted(Throttle.updateAfter429(anew, busy(now, "86400"), now, policy), later)).toBe(true)
    }
    expect(isExhausted(Throttle.updateAfterRecoveryStart(throttle), later)).toBe(false)
  })

  it("the time limit for deliveries that get only 429 starts at `since` if an earlier version stored no `refusedSince`", () => {
    const { refusedSince: _, ...throttle } = paused(3, "86400").throttle
    expect(isExhausted(throttle, start + schedule)).toBe(true)
  })

  it("the time limit for deliveries that get only 429 starts now if a fast clock had set its start to the future", () => {
    const { throttle } = paused(3, "86400")
    const back = start - hour
    expect(isExhausted(Throttle.updateAfter429(throttle, busy(back), back, policy), back + schedule, back)).toBe(true)
  })
})

describe("Notices about 429", () => {
  const told = (throttle: Throttle.WebhookThrottleState, now: number) =>
    Throttle.shouldNotifyContact(throttle, now, policy)

  it("the contact is notified about 429 when events are, or will be, an hour late", () => {
    expect(told(paused(1, "3599").throttle, start)).toBe(false)
    expect(told(paused(1, "3600").throttle, start)).toBe(true)
    expect(told(paused(9).throttle, start)).toBe(false)
    expect(told(paused(10).throttle, start)).toBe(true)
  })

  it("the contact is notified about 429 again after a day", () => {
    const throttle = { ...paused(1, "86400").throttle, toldAt: start }
    expect(told(throttle, start + 24 * hour - 1)).toBe(false)
    expect(told(throttle, start + 24 * hour)).toBe(true)
  })
})
