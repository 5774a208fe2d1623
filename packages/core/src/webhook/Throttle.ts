/**
 * Pauses a webhook whose receiver answers 429. The pause lasts until Retry-After, but at least for a delay that doubles
 * with each consecutive pause. The functions are pure: callers pass the policy and the current time.
 */
import * as Duration from "effect/Duration"
import type * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import { type DeliveryAttempt, parseRetryTime } from "./Attempt.ts"

export interface WebhookThrottleState {
  /**
   * The time of the first 429 in the current period of 429 responses. A period of 429 responses ends
   * `throttleWarnAfter` after the end of its last pause.
   */
  readonly since: Instant.Instant
  /** The time at which the latest pause started. */
  readonly pausedAt: Instant.Instant
  readonly until: Instant.Instant
  /** The number of consecutive pauses since the last success. */
  readonly pauses: number
  /** The time of the last mail to the webhook's contact about 429 responses. */
  readonly toldAt: Instant.Instant | null
  /** The time of the first 429 since the last success or recovery; null if the receiver has not answered 429 since. */
  readonly refusedSince?: Instant.Instant | null
}

/**
 * Returns the state after a 429. If a delivery was in flight when the pause began, a 429 response to the delivery
 * belongs to that pause. Five concurrent 429 responses cause only one pause.
 */
export const updateAfter429 = (
  present: WebhookThrottleState | null,
  attempt: Pick<DeliveryAttempt, "at" | "retryAfter" | "status">,
  now: Instant.Instant,
  policy: WebhookPolicy
): WebhookThrottleState => {
  const before = present === null || isOver(present, now, policy) ? null : present
  const requested = parseRetryTime(attempt, now, policy)
  if (before !== null && isSamePause(before, attempt, now)) {
    return { ...before, until: Math.max(before.until, requested) }
  }
  const pauses = (before?.pauses ?? 0) + 1
  return {
    since: before?.since ?? now,
    pausedAt: now,
    until: Math.max(requested, now + delayOf(pauses, policy)),
    pauses,
    toldAt: before?.toldAt ?? null,
    refusedSince: before === null || before.pauses === 0 ? now : Math.min(refusedSinceOf(before) ?? now, now)
  }
}

/**
 * Returns the state after the start of a recovery. A recovery restarts the time limit of events that get only 429
 * responses.
 */
export const updateAfterRecoveryStart = (present: WebhookThrottleState | null): WebhookThrottleState | null =>
  present === null ? null : { ...present, refusedSince: null }

/**
 * Returns true if the receiver has answered only 429 for the duration of a full retry schedule, and the event is at
 * least that old. After a full retry schedule of 429 responses, the delivery fails, as after its last scheduled
 * attempt.
 */
export const isThrottledForFullSchedule = (
  present: WebhookThrottleState | null,
  happenedAt: Instant.Instant,
  now: Instant.Instant,
  { retries }: WebhookPolicy
): boolean => {
  const refusedSince = present === null ? null : refusedSinceOf(present)
  const schedule = Duration.toMillis(retries.reduce(Duration.sum, Duration.zero))
  return refusedSince !== null && now - Math.max(refusedSince, happenedAt) >= schedule
}

/**
 * Returns the state after a success: the next pause starts with the shortest delay again. A success of an attempt that
 * started before the pause changes nothing.
 */
export const updateAfterSuccess = (
  present: WebhookThrottleState | null,
  attempt: Pick<DeliveryAttempt, "at">,
  now: Instant.Instant,
  policy: WebhookPolicy
): WebhookThrottleState | null => {
  if (present === null || isOver(present, now, policy)) return null
  return present.pauses === 0 || isSamePause(present, attempt, now) ? present : { ...present, pauses: 0 }
}

/**
 * Returns true if events will be late by `throttleWarnAfter` at the end of the pause, and the contact was not notified
 * within `throttleWarnEvery`.
 */
export const shouldNotifyContact = (
  { since, toldAt, until }: WebhookThrottleState,
  now: Instant.Instant,
  { throttleWarnAfter, throttleWarnEvery }: WebhookPolicy
): boolean =>
  until - since >= Duration.toMillis(throttleWarnAfter) &&
  (toldAt === null || now - toldAt >= Duration.toMillis(throttleWarnEvery))

const refusedSinceOf = ({ refusedSince, since }: WebhookThrottleState): Instant.Instant | null =>
  refusedSince === undefined ? since : refusedSince

/**
 * Returns whether the attempt belongs to the current pause. If the clock was set back since the current pause began, a
 * 429 response starts a new pause.
 */
const isSamePause = (
  { pausedAt }: WebhookThrottleState,
  { at }: Pick<DeliveryAttempt, "at">,
  now: Instant.Instant
): boolean => at <= pausedAt && pausedAt <= now

const isOver = ({ until }: WebhookThrottleState, now: Instant.Instant, { throttleWarnAfter }: WebhookPolicy): boolean =>
  now - until >= Duration.toMillis(throttleWarnAfter)

const delayOf = (pauses: number, { throttleDelay, throttleDelayMax }: WebhookPolicy): number =>
  Math.min(Duration.toMillis(throttleDelay) * 2 ** Math.min(pauses - 1, 30), Duration.toMillis(throttleDelayMax))
