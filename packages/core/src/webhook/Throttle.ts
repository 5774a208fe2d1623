/**
 * Pauses a webhook whose receiver answers 429. The pause lasts until the time in Retry-After, and at least for a delay
 * that doubles with each consecutive pause. The functions are pure. Delays come from the policy, and times are
 * arguments.
 */
import * as Duration from "effect/Duration"
import type * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { Attempt } from "./Attempt.ts"
import { requestedRetryTime } from "./RetryAfter.ts"

export interface Throttle {
  /** The time of the first 429 in this period. The period ends an hour after the end of the last pause. */
  readonly since: Instant.Instant
  /** The time at which the latest pause started. */
  readonly pausedAt: Instant.Instant
  readonly until: Instant.Instant
  /** The number of consecutive pauses since the last success. */
  readonly pauses: number
  /** The time at which the contact was last notified about 429 responses; null if never. */
  readonly toldAt: Instant.Instant | null
  /** The time of the first 429 since the last success or recovery; null if there was none. */
  readonly refusedSince?: Instant.Instant | null
}

/**
 * Returns the state after a 429 response. If the attempt started before the current pause, its 429 belongs to that
 * pause. For example, five concurrent 429 responses cause one pause.
 */
export const after429 = (
  present: Throttle | null,
  attempt: Pick<Attempt, "at" | "retryAfter" | "status">,
  now: Instant.Instant,
  policy: WebhookPolicy
): Throttle => {
  const before = present === null || isOver(present, now, policy) ? null : present
  const requested = requestedRetryTime(attempt, now, policy)
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

/** Resets the time limit for pending events when a recovery starts. */
export const startRecovery = (present: Throttle | null): Throttle | null =>
  present === null ? null : { ...present, refusedSince: null }

/**
 * True if the receiver has answered only 429 for the duration of a full schedule and the event is at least as old. The
 * delivery then fails, as after ten other failures.
 */
export const isExhausted = (
  present: Throttle | null,
  happenedAt: Instant.Instant,
  now: Instant.Instant,
  { retries }: WebhookPolicy
): boolean => {
  const refusedSince = present === null ? null : refusedSinceOf(present)
  const schedule = Duration.toMillis(retries.reduce(Duration.sum, Duration.zero))
  return refusedSince !== null && now - Math.max(refusedSince, happenedAt) >= schedule
}

/**
 * Returns the state after a success, so that the next pause is short again. The success of an attempt that started
 * before the pause changes nothing.
 */
export const afterSuccess = (
  present: Throttle | null,
  attempt: Pick<Attempt, "at">,
  now: Instant.Instant,
  policy: WebhookPolicy
): Throttle | null => {
  if (present === null || isOver(present, now, policy)) return null
  return present.pauses === 0 || isSamePause(present, attempt, now) ? present : { ...present, pauses: 0 }
}

/** True when events are or will be an hour late, and the contact was not notified within the last day. */
export const shouldNotify = (
  { since, toldAt, until }: Throttle,
  now: Instant.Instant,
  { throttleWarnAfter, throttleWarnEvery }: WebhookPolicy
): boolean =>
  until - since >= Duration.toMillis(throttleWarnAfter) &&
  (toldAt === null || now - toldAt >= Duration.toMillis(throttleWarnEvery))

const refusedSinceOf = ({ refusedSince, since }: Throttle): Instant.Instant | null =>
  refusedSince === undefined ? since : refusedSince

/** Returns true if the attempt started before the latest pause. After the clock was set back, the result is false. */
const isSamePause = ({ pausedAt }: Throttle, { at }: Pick<Attempt, "at">, now: Instant.Instant): boolean =>
  at <= pausedAt && pausedAt <= now

const isOver = ({ until }: Throttle, now: Instant.Instant, { throttleWarnAfter }: WebhookPolicy): boolean =>
  now - until >= Duration.toMillis(throttleWarnAfter)

const delayOf = (pauses: number, { throttleDelay, throttleDelayMax }: WebhookPolicy): number =>
  Math.min(Duration.toMillis(throttleDelay) * 2 ** Math.min(pauses - 1, 30), Duration.toMillis(throttleDelayMax))
