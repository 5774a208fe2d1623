/**
 * Limits how long deliveries to a webhook may pause: after failed probes, after a 429, or while the organization is
 * suspended.
 */
import * as Duration from "effect/Duration"
import { clockToleranceMillis } from "../shared/DueTimes.ts"
import type * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { ReceiverState } from "./CircuitBreaker.ts"

/** The interval between checks of whether an organization is still suspended. */
export const suspensionCheckInterval = Duration.minutes(1)

/** Returns the latest valid end of a pause whose cause is not a 429 response. */
export const calculateLatestPauseEnd = (now: Instant.Instant, { probeDelayMax }: WebhookPolicy): Instant.Instant =>
  now + clockToleranceMillis + Duration.toMillis(Duration.max(probeDelayMax, suspensionCheckInterval))

/** Returns true if a pause ends later than any valid pause. Only a fast clock can cause a pause that is too long. */
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
