/**
 * Limits how long deliveries to a webhook may pause: after failed probes, after a 429, or while the organization is
 * suspended.
 */
import * as Duration from "effect/Duration"
import { clockToleranceMillis } from "../shared/DueTimes.ts"
import type * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { ReceiverState } from "./CircuitBreaker.ts"

/** The service checks again after this delay whether the organization is still suspended. */
export const suspensionCheckInterval = Duration.minutes(1)

/** Only a 429 can pause a webhook beyond this time. */
export const calculateLatestPauseEnd = (now: Instant.Instant, { probeDelayMax }: WebhookPolicy): Instant.Instant =>
  now + clockToleranceMillis + Duration.toMillis(Duration.max(probeDelayMax, suspensionCheckInterval))

/** Returns true if the end of a pause is later than any valid pause, so that a fast clock must have caused it. */
export const isPauseTooLong = (
  { health: { throttle }, quietUntil }: ReceiverState,
  now: Instant.Instant,
  policy: WebhookPolicy
): boolean => {
  if (quietUntil === null || quietUntil <= calculateLatestPauseEnd(now, policy)) return false
  if (throttle === null || throttle.pausedAt > now + clockToleranceMillis) return true
  const longest = Duration.toMillis(Duration.max(policy.longestWait, policy.throttleDelayMax))
  return quietUntil > Math.min(throttle.until, now + longest) + clockToleranceMillis
}
