/**
 * Decides after an attempt whether a delivery is done, must be retried or has failed. The functions are pure.
 * CircuitBreaker decides whether the webhook is warned, paused or disabled.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { LatestDue } from "../shared/DueTimes.ts"
import * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { Attempt } from "./Attempt.ts"
import { requestedRetryTime } from "./RetryAfter.ts"

/** What triggered the attempt. `probe`: the circuit breaker made the attempt to check whether the receiver is back. */
export const AttemptKind = Schema.Literals(["scheduled", "manual", "probe"])
export type AttemptKind = typeof AttemptKind.Type

/** The fields of a delivery that decide about its next attempt. */
export interface RetryState {
  /** The number of failed scheduled attempts. */
  readonly attempts: number
  /** The time at which the schedule continues after a manual attempt; null when the schedule has ended. */
  readonly resumeAt: Instant.Instant | null
}

export type NextDeliveryState =
  | { readonly state: "delivered" }
  /** `failed`: the schedule has ended. */
  | { readonly state: "failed"; readonly attempts: number }
  | { readonly state: "pending"; readonly attempts: number; readonly dueAt: Instant.Instant }

/**
 * The random delay is at most this fraction of the planned delay, so that simultaneous failures do not retry
 * simultaneously.
 */
const jitter = 0.1

/** The delay before the retry of a delivery that could not be signed. */
const unsignedDelay = Duration.hours(1)

/**
 * The longest possible delay by number of counted attempts. Before the first one, only a missing secret can delay a
 * delivery.
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

/** `chance` is a random number from 0 up to 1. */
export const nextStateOf = (
  present: RetryState,
  {
    attempt,
    isExhausted = false,
    kind
  }: {
    readonly attempt: Attempt
    readonly kind: AttemptKind
    /** For a 429: true if the receiver has answered only 429 for the duration of a full schedule. */
    readonly isExhausted?: boolean
  },
  chance: number,
  now: Instant.Instant,
  policy: WebhookPolicy
): NextDeliveryState => {
  if (attempt.failure === null) return { state: "delivered" }
  const { attempts } = present
  if (attempt.failure === "unsigned") return { state: "pending", attempts, dueAt: Instant.plus(now, unsignedDelay) }
  // A 429 does not count as an attempt, so a time limit ends a delivery that gets only 429.
  if (attempt.status === 429 && isExhausted && kind !== "manual") return { state: "failed", attempts }
  if (kind === "probe") return { state: "pending", attempts, dueAt: now }
  if (kind === "manual") {
    return present.resumeAt === null
      ? { state: "failed", attempts }
      : { state: "pending", attempts, dueAt: Math.max(present.resumeAt, now) }
  }
  // A 429 means that the receiver is busy, not broken: the webhook pauses, and the event keeps its attempts.
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

/** A delivery's state in the queue. */
export interface QueueState {
  /** The due time; null when the delivery has ended. */
  readonly dueAt: Instant.Instant | null
  readonly inFlight: boolean
  /** True when a manual attempt was requested and has not started. */
  readonly manual: boolean
  readonly resumeAt: Instant.Instant | null
}

export interface DeliveryScheduleChange {
  readonly dueAt: Instant.Instant
  readonly resumeAt: Instant.Instant | null
}

/**
 * Schedules a manual attempt now, in addition to the schedule, which continues as planned if the attempt fails. Returns
 * null when an attempt is in flight, or was requested and is due.
 */
export const manualAttempt = (
  { dueAt, manual, resumeAt, inFlight }: QueueState,
  now: Instant.Instant
): DeliveryScheduleChange | null => {
  if (inFlight || (manual && dueAt !== null && dueAt <= now)) return null
  return { dueAt: Math.min(dueAt ?? now, now), resumeAt: manual ? resumeAt : dueAt }
}
