/**
 * Limits how long a webhook's deliveries may pause after failed probes, after a 429, or during an organization's
 * suspension.
 */
import * as Duration from "effect/Duration"
import { clockToleranceMillis } from "../shared/DueTimes.ts"
import type * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { Receiver } from "./CircuitBreaker.ts"

/** The interval at which the service checks whether an organization is still suspended. */
export const suspensionCheck = Duration.minutes(1)

/** Returns the latest valid end of a pause. Only a pause after a 429 may end later. */
export const latestEnd = (now: Instant.Instant, { probeDelayMax }: WebhookPolicy): Instant.Instant =>
  now + clockToleranceMillis + Duration.toMillis(Duration.max(probeDelayMax, suspensionCheck))

/** Returns true if a pause ends later than any valid pause. Such an end was calculated with a fast clock. */
export const isPostponed = (
  { health: { throttle }, quietUntil }: Receiver,
  now: Instant.Instant,
  policy: WebhookPolicy
): boolean => {
  if (quietUntil === null || quietUntil <= latestEnd(now, policy)) return false
  if (throttle === null || throttle.pausedAt > now + clockToleranceMillis) return true
  const longest = Duration.toMillis(Duration.max(policy.longestWait, policy.throttleDelayMax))
  return quietUntil > Math.min(throttle.until, now + longest) + clockToleranceMillis
}
