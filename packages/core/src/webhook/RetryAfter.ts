/** Parses `Retry-After`, the earliest time at which a receiver accepts the next request. Pure. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { Attempt } from "./Attempt.ts"

/** Only 429 and 503 use it, up to `longestWait`. If there is no valid value, the result is the current time. */
export const requestedRetryTime = (
  { retryAfter, status }: Pick<Attempt, "retryAfter" | "status">,
  now: Instant.Instant,
  { longestWait }: WebhookPolicy
): Instant.Instant => {
  if (retryAfter === null || (status !== 429 && status !== 503)) return now
  return now + Math.min(Math.max(0, delayOf(retryAfter.trim(), now)), Duration.toMillis(longestWait))
}

/** Reads seconds or an HTTP date; any other text gives no delay. */
const delayOf = (text: string, now: Instant.Instant): number =>
  /^\d+$/.test(text)
    ? Number(text) * 1000
    : Option.match(Instant.fromHttpDate(text), { onNone: () => 0, onSome: (moment) => moment - now })
