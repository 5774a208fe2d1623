/**
 * Parses the `Retry-After` header, the earliest time at which a receiver accepts the next request. The functions are
 * pure.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { Attempt } from "./Attempt.ts"

/**
 * Returns the requested time of a 429 or 503 response, at most `longestWait` ahead. Without a valid header, this is
 * now.
 */
export const requestedRetryTime = (
  { retryAfter, status }: Pick<Attempt, "retryAfter" | "status">,
  now: Instant.Instant,
  { longestWait }: WebhookPolicy
): Instant.Instant => {
  if (retryAfter === null || (status !== 429 && status !== 503)) return now
  return now + Math.min(Math.max(0, delayOf(retryAfter.trim(), now)), Duration.toMillis(longestWait))
}

/** Returns the delay in milliseconds for a number of seconds or an HTTP date. Any other text results in no delay. */
const delayOf = (text: string, now: Instant.Instant): number =>
  /^\d+$/.test(text)
    ? Number(text) * 1000
    : Option.match(Instant.fromHttpDate(text), { onNone: () => 0, onSome: (moment) => moment - now })
