/** The recorded result of one attempt to deliver an event: the receiver's response, or the failure. */
import * as Schema from "effect/Schema"
import type { Instant } from "../shared/Instant.ts"
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
