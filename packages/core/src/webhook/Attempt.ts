/** The recorded result of one attempt to deliver an event: the receiver's response, or the failure. */
import * as Schema from "effect/Schema"
import type { Instant } from "../shared/Instant.ts"
import { TransportFailure } from "./WebhookTransport.ts"

/**
 * `http`: the receiver's response was not 2xx, or not HTTP. `unsigned`: signing failed, so the service sent no request.
 */
export const AttemptFailure = Schema.Literals([...TransportFailure.literals, "unsigned"])
export type AttemptFailure = typeof AttemptFailure.Type

export interface Attempt {
  /** The time at which the delivery attempt started. */
  readonly at: Instant
  /** The duration of the attempt in milliseconds. */
  readonly duration: number
  /** The HTTP status of the receiver's response; null when no response arrived. */
  readonly status: number | null
  /** The kind of failure; null when the attempt succeeded. */
  readonly failure: AttemptFailure | null
  /** The reason of the failure, as a sentence for the partner; null when the attempt succeeded. */
  readonly reason: string | null
  /** The first KiB of the response body; null when no response arrived. */
  readonly excerpt: string | null
  /** The response's `Retry-After` header, unparsed; null when the header is absent. */
  readonly retryAfter: string | null
}

/**
 * Only a status from 200 to 299 is a success. A redirect is a failure, because the service does not follow redirects.
 */
export const isSuccess = (status: number): boolean => status >= 200 && status <= 299
