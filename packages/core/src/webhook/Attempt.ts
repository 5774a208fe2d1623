/** The recorded result of one attempt to deliver an event: the receiver's response, or the failure. */
import * as Schema from "effect/Schema"
import type { Instant } from "../shared/Instant.ts"
import { TransportFailure } from "./WebhookTransport.ts"

/** `http`: the response was not 2xx, or not HTTP. `unsigned`: signing failed, so no request was sent. */
export const AttemptFailure = Schema.Literals([...TransportFailure.literals, "unsigned"])
export type AttemptFailure = typeof AttemptFailure.Type

export interface Attempt {
  /** Start of the attempt. */
  readonly at: Instant
  /** In milliseconds. */
  readonly duration: number
  /** Null when no response arrived. */
  readonly status: number | null
  /** Null when it succeeded. */
  readonly failure: AttemptFailure | null
  /** A sentence for the partner; null when it succeeded. */
  readonly reason: string | null
  /** The first KiB of the response; null when none arrived. */
  readonly excerpt: string | null
  /** The header's value as sent; null when absent. */
  readonly retryAfter: string | null
}

/** Only 2xx: redirects are not followed. */
export const isSuccess = (status: number): boolean => status >= 200 && status <= 299
