/**
 * Decides after an attempt whether a delivery is done, must be retried or has failed. The functions are pure.
 * CircuitBreaker decides whether to warn the contact and whether to pause or disable the webhook.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { LatestDue } from "../shared/DueTimes.ts"
import * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { Attempt } from "./Attempt.ts"
import { requestedRetryTime } from "./RetryAfter.ts"

/** The reason for an attempt. The circuit breaker makes a `probe` to check whether the receiver is reachable again. */
export const AttemptKind = Schema.Literals(["scheduled", "manual", "probe"])
export type AttemptKind = typeof AttemptKind.Type

/** The fields of a delivery that determine its next attempt. */
export interface RetryState {
  /** The number of scheduled attempts that failed. */
  readonly attempts: number
  /** The time at which the retry schedule continues after a manual attempt; null when the schedule has ended. */
  readonly resumeAt: Instant.Instant | null
}

export type NextDeliveryState =
  | { readonly state: "delivered" }
  /** A delivery fails when its retry schedule has ended. */
  | { readonly state: "failed"; readonly attempts: number }
  | { readonly state: "pending"; readonly attempts: number; readonly dueAt: Instant.Instant }

/**
 * The maximum random delay as a fraction of the planned delay. Random delays spread the retries of simultaneous
 * failures.
 */
const jitter = 0.1

/** The delay before the retry of a delivery that the service could not sign. */
const unsignedDelay = Duration.hours(1)

/**
 * Returns the longest possible retry delay for a number of failed scheduled attempts. Before the first attempt, only a
 * missing secret can delay a delivery.
 */
export const latestDue = (
  now: Instant.Instant,
  lease: Duration.Duration,
  { longestWait, retries }: WebhookPolicy
): LatestDue => {
  const longest = retries.map((delay) => Duration.times(delay, 1 + jitter)).reduce(Duration.max, longestWait)
  const waiting = [unsignedDelay, Duration.max(unsignedDelay, longest)] as const
  return {
    now,
    leased: Instant.plus(now, lease),
    waiting: [Instant.plus(now, waiting[0]), Instant.plus(now, waiting[1])]
  }
}

/** Returns the delivery's state after an attempt. `chance` is a random number, at least 0 and less than 1. */
export const nextStateOf = (
  present: RetryState,
  {
    attempt,
    isExhausted = false,
    kind
  }: {
    readonly attempt: Attempt
    readonly kind: AttemptKind
    /** True for a 429 response when the receiver has answered only 429 for the duration of a full retry schedule. */
    readonly isExhausted?: boolean
  },
  chance: number,
  now: Instant.Instant,
  policy: WebhookPolicy
): NextDeliveryState => {
  if (attempt.failure === null) return { state: "delivered" }
  const { attempts } = present
  if (attempt.failure === "unsigned") return { state: "pending", attempts, dueAt: Instant.plus(now, unsignedDelay) }
  // A 429 response does not count as a failed attempt, so a time limit ends deliveries that get only 429 responses.
  if (attempt.status === 429 && isExhausted && kind !== "manual") return { state: "failed", attempts }
  if (kind === "probe") return { state: "pending", attempts, dueAt: now }
  if (kind === "manual") {
    return present.resumeAt === null
      ? { state: "failed", attempts }
      : { state: "pending", attempts, dueAt: Math.max(present.resumeAt, now) }
  }
  // A 429 response means that the receiver is busy, not broken. The webhook pauses, and the attempt does not count.
  if (attempt.status === 429) return { state: "pending", attempts, dueAt: now }
  const delay = policy.retries[attempts]
  if (delay === undefined) return { state: "failed", attempts: attempts + 1 }
  const planned = now + Math.round(Duration.toMillis(delay) * (1 + jitter * chance))
  return {
    state: "pending",
    attempts: attempts + 1,
    dueAt: Math.max(planned, requestedRetryTime(attempt, now, policy))
  }
}

/** The state of a delivery in the delivery queue. */
export interface QueueState {
  /** The time of the next attempt; null when the delivery has ended. */
  readonly dueAt: Instant.Instant | null
  readonly inFlight: boolean
  /** True when the partner requested a manual attempt that has not started. */
  readonly manual: boolean
  readonly resumeAt: Instant.Instant | null
}

export interface DeliveryScheduleChange {
  readonly dueAt: Instant.Instant
  readonly resumeAt: Instant.Instant | null
}

/**
 * Schedules an additional manual attempt now. If the manual attempt fails, the retry schedule continues as planned.
 * Returns null when an attempt is in flight, or when a requested attempt is already due.
 */
export const manualAttempt = (
  { dueAt, manual, resumeAt, inFlight }: QueueState,
  now: Instant.Instant
): DeliveryScheduleChange | null => {
  if (inFlight || (manual && dueAt !== null && dueAt <= now)) return null
  return { dueAt: Math.min(dueAt ?? now, now), resumeAt: manual ? resumeAt : dueAt }
}
