/**
 * These pure functions decide after an attempt whether a delivery has succeeded, must be retried or has failed.
 * CircuitBreaker decides whether the webhook is paused or disabled, and whether its contact is warned.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { LatestPlausibleDueTimes } from "../shared/DueTimes.ts"
import * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import { type DeliveryAttempt, parseRetryTime } from "./Attempt.ts"

/**
 * The trigger of an attempt. The circuit breaker triggers a `probe` to test whether a failing receiver works again.
 */
export const DeliveryAttemptKind = Schema.Literals(["scheduled", "manual", "probe"])
export type DeliveryAttemptKind = typeof DeliveryAttemptKind.Type

/** The delivery's fields that determine the next attempt. */
export interface DeliveryRetryState {
  /** The number of scheduled attempts that failed. */
  readonly attempts: number
  /** The time at which the retry schedule continues after a manual attempt; null when the schedule has ended. */
  readonly resumeAt: Instant.Instant | null
}

export type NextDeliveryState =
  | { readonly state: "delivered" }
  /** The state is `failed` when the retry schedule has ended without a success. */
  | { readonly state: "failed"; readonly attempts: number }
  | { readonly state: "pending"; readonly attempts: number; readonly dueAt: Instant.Instant }

/**
 * Each retry is delayed by an additional random time, at most this fraction of the planned delay. The jitter spreads
 * the retries of simultaneous failures.
 */
const jitter = 0.1

/** The retry delay of a delivery that could not be signed. */
const unsignedDelay = Duration.hours(1)

/**
 * Returns the latest plausible due time for each number of counted attempts. Before the first counted attempt, only a
 * failure to sign can delay a delivery.
 */
export const calculateLatestPlausibleDeliveryDueTimes = (
  now: Instant.Instant,
  lease: Duration.Duration,
  { longestWait, retries }: WebhookPolicy
): LatestPlausibleDueTimes => {
  const longest = retries.map((delay) => Duration.times(delay, 1 + jitter)).reduce(Duration.max, longestWait)
  const waiting = [unsignedDelay, Duration.max(unsignedDelay, longest)] as const
  return {
    now,
    leased: Instant.plus(now, lease),
    waiting: [Instant.plus(now, waiting[0]), Instant.plus(now, waiting[1])]
  }
}

/** Returns the delivery's state after an attempt. `chance` is a random number, at least 0 and less than 1. */
export const decideNextDeliveryState = (
  present: DeliveryRetryState,
  {
    attempt,
    isExhausted = false,
    kind
  }: {
    readonly attempt: DeliveryAttempt
    readonly kind: DeliveryAttemptKind
    /**
     * True if the receiver has answered only 429 for the duration of a full retry schedule. `isExhausted` matters only
     * for an attempt with a 429 response.
     */
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
  // A 429 means that the receiver is overloaded, not broken. After a 429, the webhook pauses, and the attempt does not
  // count.
  if (attempt.status === 429) return { state: "pending", attempts, dueAt: now }
  const delay = policy.retries[attempts]
  if (delay === undefined) return { state: "failed", attempts: attempts + 1 }
  const planned = now + Math.round(Duration.toMillis(delay) * (1 + jitter * chance))
  return {
    state: "pending",
    attempts: attempts + 1,
    dueAt: Math.max(planned, parseRetryTime(attempt, now, policy))
  }
}

/** The state of a delivery in the queue. */
export interface QueuedDeliveryState {
  /** The delivery's due time; null when the delivery has ended. */
  readonly dueAt: Instant.Instant | null
  readonly inFlight: boolean
  /** True when a partner requested a manual attempt that has not started yet. */
  readonly manual: boolean
  readonly resumeAt: Instant.Instant | null
}

export interface DeliveryScheduleChange {
  readonly dueAt: Instant.Instant
  readonly resumeAt: Instant.Instant | null
}

/**
 * Schedules a manual attempt now. If the manual attempt fails, the retry schedule continues as planned. Returns null
 * when an attempt is in flight, or a requested attempt is already due.
 */
export const scheduleManualAttempt = (
  { dueAt, manual, resumeAt, inFlight }: QueuedDeliveryState,
  now: Instant.Instant
): DeliveryScheduleChange | null => {
  if (inFlight || (manual && dueAt !== null && dueAt <= now)) return null
  return { dueAt: Math.min(dueAt ?? now, now), resumeAt: manual ? resumeAt : dueAt }
}
