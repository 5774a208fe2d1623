/** Tests the distinction between valid pauses of a webhook and pauses that a fast clock caused. */
import { defaults as policy } from "@partner-commentary/core/shared/WebhookPolicy"
import { healthy } from "@partner-commentary/core/webhook/CircuitBreaker"
import { isPauseTooLong } from "@partner-commentary/core/webhook/Pause"
import type { Webhook } from "@partner-commentary/core/webhook/Webhook"
import { describe, expect, it } from "vitest"

const now = Date.parse("2026-01-30T12:00:00.000Z")
const minute = 60_000
const hour = 60 * minute

const judged = (quietUntil: number | null, pausedAt?: number, until = quietUntil ?? now) => {
  const throttle =
    pausedAt === undefined
      ? null
      : { since: pausedAt, pausedAt, until, pauses: 1, toldAt: null, refusedSince: pausedAt }
  return isPauseTooLong({ webhook: {} as Webhook, health: { ...healthy, throttle }, quietUntil }, now, policy)
}

describe("a pause of a webhook", () => {
  it("a pause of a webhook is valid for half an hour without a 429", () => {
    expect(judged(null)).toBe(false)
    expect(judged(now + 30 * minute)).toBe(false)
    expect(judged(now + 2 * hour)).toBe(true)
  })

  it("a pause of a webhook is valid for 24 hours after a past 429, and not after a future one", () => {
    expect(judged(now + 20 * hour, now - hour)).toBe(false)
    expect(judged(now + 25 * hour, now - hour)).toBe(true)
    expect(judged(now + 3 * hour, now + 2 * hour)).toBe(true)
  })

  it("a pause of a webhook is invalid if it ends later than the pause of its 429", () => {
    expect(judged(now + 2 * hour, now - hour, now - 30 * minute)).toBe(true)
  })
})
