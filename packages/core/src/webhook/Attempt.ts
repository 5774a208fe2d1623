/**
 * The recorded result of one attempt to deliver an event: the receiver's response, or the failure. A response with
 * `Retry-After` sets the earliest time of the next request to the receiver.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fromHttpDate, type Instant } from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import { WebhookTransportFailure } from "./WebhookTransport.ts"

/**
 * `http` means that the response had a status other than 2xx or was not valid HTTP. `unsigned` means that signing
 * failed, so the service sent no request.
 */
export const DeliveryAttemptFailure = Schema.Literals([...WebhookTransportFailure.literals, "unsigned"])
export type DeliveryAttemptFailure = typeof DeliveryAttemptFailure.Type

export interface DeliveryAttempt {
  /** The start time of the attempt. */
  readonly at: Instant
  /** The duration of the attempt in milliseconds. */
  readonly duration: number
  /** The HTTP status of the response; null when no response arrived. */
  readonly status: number | null
  /** The kind of failure; null when the attempt succeeded. */
  readonly failure: DeliveryAttemptFailure | null
  /** The reason for the failure, as a sentence for the partner; null when the attempt succeeded. */
  readonly reason: string | null
  /** The first KiB of the response body; null when no response arrived. */
  readonly excerpt: string | null
  /** The unparsed value of the response's `Retry-After` header; null when the header is absent. */
  readonly retryAfter: string | null
}

/**
 * Returns true only for a 2xx status. A redirect (3xx) is a failure, because the service does not follow redirects.
 */
export const isSuccessStatus = (status: number): boolean => status >= 200 && status <= 299

/**
 * Returns the time until which `Retry-After` asks the service to wait, at most `longestWait` from now. Returns the
 * current time if the status is neither 429 nor 503, or the header has no valid value.
 */
export const parseRetryTime = (
  { retryAfter, status }: Pick<DeliveryAttempt, "retryAfter" | "status">,
  now: Instant,
  { longestWait }: WebhookPolicy
): Instant => {
  if (retryAfter === null || (status !== 429 && status !== 503)) return now
  return now + Math.min(Math.max(0, delayOf(retryAfter.trim(), now)), Duration.toMillis(longestWait))
}

/**
 * Parses `Retry-After` as seconds or as an HTTP date. Returns 0 for a text that is neither seconds nor an HTTP date.
 */
const delayOf = (text: string, now: Instant): number =>
  /^\d+$/.test(text)
    ? Number(text) * 1000
    : Option.match(fromHttpDate(text), { onNone: () => 0, onSome: (moment) => moment - now })
