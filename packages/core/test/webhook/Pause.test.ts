/** Tests how the service distinguishes valid pauses of a webhook from pauses that a fast clock caused. */
import { defaults as policy } from "@partner-commentary/core/shared/WebhookPolicy"
import { healthyState } from "@partner-commentary/core/webhook/CircuitBreaker"
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
  return isPauseTooLong({ webhook: {} as Webhook, health: { ...healthyState, throttle }, quietUntil }, now, policy)
}

describe("Pauses of a webhook", () => {
  it("if the receiver has sent no 429, a pause of a webhook can be at most half an hour long", () => {
    expect(judged(null)).toBe(false)
    expect(judged(now + 30 * minute)).toBe(false)
    expect(judged(now + 2 * hour)).toBe(true)
  })

  it("a pause of a webhook can last 24 hours after a 429 in the past, and is invalid after a 429 with a future time", () => {
    expect(judged(now + 20 * hour, now - hour)).toBe(false)
    expect(judged(now + 25 * hour, now - hour)).toBe(true)
    expect(judged(now + 3 * hour, now + 2 * hour)).toBe(true)
  })

  it("a pause of a webhook is invalid if it ends later than the pause that the 429 caused", () => {
    expect(judged(now + 2 * hour, now - hour, now - 30 * minute)).toBe(true)
  })
})
