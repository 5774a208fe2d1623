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
  /** The time at which the attempt started. */
  readonly at: Instant
  /** In milliseconds. */
  readonly duration: number
  /** The response's status; null when no response arrived. */
  readonly status: number | null
  /** The kind of failure; null when the attempt succeeded. */
  readonly failure: AttemptFailure | null
  /** A sentence for the partner; null when the attempt succeeded. */
  readonly reason: string | null
  /** The first KiB of the response; null when no response arrived. */
  readonly excerpt: string | null
  /** The value of the `Retry-After` header as sent; null when absent. */
  readonly retryAfter: string | null
}

/** Only a 2xx status is a success, because redirects are not followed. */
export const isSuccess = (status: number): boolean => status >= 200 && status <= 299
