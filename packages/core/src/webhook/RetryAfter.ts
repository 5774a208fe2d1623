/** Parses the `Retry-After` header, which sets the earliest time of the next request to a receiver. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { DeliveryAttempt } from "./Attempt.ts"

/**
 * Returns the time until which `Retry-After` asks the service to wait, at most `longestWait` from now. Returns the
 * current time if the status is neither 429 nor 503, or the header has no valid value.
 */
export const parseRetryTime = (
  { retryAfter, status }: Pick<DeliveryAttempt, "retryAfter" | "status">,
  now: Instant.Instant,
  { longestWait }: WebhookPolicy
): Instant.Instant => {
  if (retryAfter === null || (status !== 429 && status !== 503)) return now
  return now + Math.min(Math.max(0, delayOf(retryAfter.trim(), now)), Duration.toMillis(longestWait))
}

/**
 * Parses `Retry-After` as seconds or as an HTTP date. Returns 0 for a text that is neither seconds nor an HTTP date.
 */
const delayOf = (text: string, now: Instant.Instant): number =>
  /^\d+$/.test(text)
    ? Number(text) * 1000
    : Option.match(Instant.fromHttpDate(text), { onNone: () => 0, onSome: (moment) => moment - now })
