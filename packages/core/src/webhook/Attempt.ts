/** One attempt to hand an event to a receiver, as it is remembered: what was answered, or why nothing was. */
import * as Schema from "effect/Schema"
import type { Instant } from "../shared/Instant.ts"
import { TransportFailure } from "./WebhookTransport.ts"

/** `http`: what was answered is no success, or was not HTTP. `unsigned`: we could not sign, and sent nothing. */
export const AttemptFailure = Schema.Literals([...TransportFailure.literals, "unsigned"])
export type AttemptFailure = typeof AttemptFailure.Type

export interface Attempt {
  /** When it was begun. */
  readonly at: Instant
  /** In milliseconds. */
  readonly duration: number
  /** Null when no answer came. */
  readonly status: number | null
  /** Null when it succeeded. */
  readonly failure: AttemptFailure | null
  /** A sentence for the partner; null when it succeeded. */
  readonly reason: string | null
  /** The first KiB of the answer; null when none came. */
  readonly excerpt: string | null
  /** As it was sent; null without one. */
  readonly retryAfter: string | null
}

/** 2xx, and nothing else: redirects are not followed. */
export const isSuccess = (status: number): boolean => status >= 200 && status <= 299
