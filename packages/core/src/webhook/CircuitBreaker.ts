/**
 * Decides from delivery attempts when to warn a webhook's contact, disable the webhook or pause its deliveries. The
 * breaker also limits how fast the backlog is sent after a pause. All functions are pure: callers pass the policy and
 * the current time.
 */
import * as Duration from "effect/Duration"
import type { EventId } from "../shared/Ids.ts"
import type * as Instant from "../shared/Instant.ts"
import type { WebhookPolicy } from "../shared/WebhookPolicy.ts"
import type { DeliveryAttempt } from "./Attempt.ts"
import * as Throttle from "./Throttle.ts"
import type { Webhook } from "./Webhook.ts"

/**
 * Records a receiver's failures since the last success. `Webhook.consecutiveFailures` counts the receiver's failures
 * since the last success.
 */
export interface CircuitBreakerState {
  /** The time of the first failure since the last success. */
  readonly failingSince: Instant.Instant | null
  /** The distinct events with a failed attempt. `failed` holds no more events than the policy's limits need. */
  readonly failed: ReadonlyArray<EventId>
  /**
   * The distinct events whose attempts reached no server. `unreached` holds no more events than the policy's limit
   * needs.
   */
  readonly unreached: ReadonlyArray<EventId>
  readonly warned: boolean
  /** Number of failed probes since the breaker opened; null while the breaker is closed. */
  readonly probes: number | null
  /**
   * Set while the backlog is sent at a limited rate: the start of the limit, and the number of deliveries sent since
   * then. Null while the rate is not limited.
   */
  readonly draining: { readonly since: Instant.Instant; readonly sent: number } | null
  /** The pause after a 429 response; null if the receiver has not answered 429 recently. */
  readonly throttle: Throttle.WebhookThrottleState | null
}

export const healthyState: CircuitBreakerState = {
  failingSince: null,
  failed: [],
  unreached: [],
  warned: false,
  probes: null,
  draining: null,
  throttle: null
}

export interface ReceiverState {
  readonly webhook: Webhook
  readonly health: CircuitBreakerState
  /** The service sends nothing to the receiver before `quietUntil`. */
  readonly quietUntil: Instant.Instant | null
}

/**
 * Returns true when the webhook's deliveries wait: the webhook is inactive, or its open breaker allows only probes.
 */
export const holdsDeliveries = ({ health, webhook }: ReceiverState): boolean =>
  webhook.status !== "active" || health.probes !== null

/**
 * Returns true when no failure, pause or backlog limits this receiver. A success of an unrestricted receiver does not
 * change when other deliveries are due.
 */
export const isUnrestricted = ({ health, quietUntil, webhook }: ReceiverState): boolean =>
  webhook.consecutiveFailures === 0 && health.probes === null && health.draining === null && quietUntil === null

/** Returns whether the new state requires a mail to the webhook's contact. */
export const needsContactAlert = (before: ReceiverState, after: ReceiverState): boolean =>
  before.webhook.status !== after.webhook.status ||
  before.health.warned !== after.health.warned ||
  before.health.throttle?.toldAt !== after.health.throttle?.toldAt

/** The reason for a mail to the webhook's contact. */
export type ContactAlertReason = "failing" | "gone" | "disabled" | "throttled"

export interface CircuitBreakerDecision {
  readonly receiver: ReceiverState
  readonly alarm: ContactAlertReason | null
}

/** Returns the receiver's state after an attempt. An attempt that could not be signed leaves the state unchanged. */
export const updateAfterAttempt = (
  present: ReceiverState,
  {
    attempt,
    eventId,
    probe
  }: { readonly attempt: DeliveryAttempt; readonly eventId: EventId; readonly probe: boolean },
  now: Instant.Instant,
  policy: WebhookPolicy
): CircuitBreakerDecision => {
  if (attempt.failure === "unsigned") return { receiver: present, alarm: null }
  const webhook = { ...present.webhook, lastDeliveryAt: Math.max(attempt.at, present.webhook.lastDeliveryAt ?? 0) }
  if (attempt.failure === null)
    return { receiver: updateAfterSuccess({ ...present, webhook }, attempt, now, policy), alarm: null }
  if (attempt.status === 429) return updateAfter429({ ...present, webhook }, { attempt, probe }, now, policy)
  const failures = webhook.consecutiveFailures + 1
  const failing = recordFailedEvent(present.health, attempt, eventId, policy)
  const alarm = alarmOf(webhook, failures, failing, attempt, policy)
  const status = alarm === "gone" || alarm === "disabled" ? ("disabled" as const) : webhook.status
  const opens = failing.probes === null && isToOpen(failures, failing, policy)
  const health = {
    ...(opens ? { ...failing, probes: 0, draining: null } : countProbe(failing, probe)),
    warned: failing.warned || alarm === "failing"
  }
  const quietUntil =
    opens || probe ? Math.max(nextProbe(health, now, policy), present.quietUntil ?? 0) : present.quietUntil
  return { receiver: { webhook: { ...webhook, status, consecutiveFailures: failures }, health, quietUntil }, alarm }
}

/**
 * Returns the state after a 429: a pause holds all deliveries of the webhook. If the backlog is being sent at a limited
 * rate, the rate limit starts again after the pause.
 */
const updateAfter429 = (
  { health: before, quietUntil, webhook }: ReceiverState,
  { attempt, probe }: { readonly attempt: DeliveryAttempt; readonly probe: boolean },
  now: Instant.Instant,
  policy: WebhookPolicy
): CircuitBreakerDecision => {
  const throttle = Throttle.updateAfter429(before.throttle, attempt, now, policy)
  const health = countProbe(before, probe)
  const shouldNotify = webhook.status === "active" && Throttle.shouldNotifyContact(throttle, now, policy)
  const earliest = Math.max(throttle.until, (probe ? nextProbe(health, now, policy) : quietUntil) ?? 0)
  return {
    receiver: {
      webhook,
      health: {
        ...health,
        draining: health.draining === null ? null : { since: earliest, sent: 0 },
        throttle: shouldNotify ? { ...throttle, toldAt: now } : throttle
      },
      quietUntil: earliest
    },
    alarm: shouldNotify ? "throttled" : null
  }
}

/** Returns the state after a success. A running pause after a 429 continues until its end. */
const updateAfterSuccess = (
  { health, quietUntil, webhook }: ReceiverState,
  attempt: DeliveryAttempt,
  now: Instant.Instant,
  policy: WebhookPolicy
): ReceiverState => {
  const throttle = Throttle.updateAfterSuccess(health.throttle, attempt, now, policy)
  const isPaused = throttle !== null && now < throttle.until
  const wasOpen = health.probes !== null
  return {
    webhook: { ...webhook, consecutiveFailures: 0 },
    health: { ...healthyState, draining: wasOpen ? { since: now, sent: 0 } : health.draining, throttle },
    quietUntil: !isPaused && (wasOpen || (quietUntil !== null && quietUntil <= now)) ? null : quietUntil
  }
}

/**
 * Limits the rate at which the backlog is sent, as after the circuit breaker has closed. Changes nothing if the breaker
 * is open or the rate is already limited.
 */
export const startBacklogRateLimit = (present: ReceiverState, now: Instant.Instant): ReceiverState =>
  present.health.probes === null && present.health.draining === null
    ? { ...present, health: { ...present.health, draining: { since: now, sent: 0 } } }
    : present

/**
 * Starts a recovery: deliveries resume immediately, and the time limit for events that get only 429 responses starts
 * again.
 */
export const updateAfterRecoveryStart = (present: ReceiverState, now: Instant.Instant): ReceiverState => {
  const begun = startBacklogRateLimit(updateAfterManualRetry(present), now)
  const throttle = Throttle.updateAfterRecoveryStart(begun.health.throttle)
  return throttle === null ? begun : { ...begun, health: { ...begun.health, throttle } }
}

/**
 * Ends the wait for the next probe of an open breaker, and ends a pause after a 429. A manual retry suggests that the
 * receiver was repaired.
 */
export const updateAfterManualRetry = (present: ReceiverState): ReceiverState =>
  present.quietUntil === null || (present.health.probes === null && present.health.throttle === null)
    ? present
    : { ...present, quietUntil: null }

const recordFailedEvent = (
  present: CircuitBreakerState,
  attempt: DeliveryAttempt,
  eventId: EventId,
  policy: WebhookPolicy
): CircuitBreakerState => ({
  ...present,
  // Take the earlier time: a `failingSince` that a fast clock wrote would delay the warning and the disabling.
  failingSince: Math.min(present.failingSince ?? attempt.at, attempt.at),
  failed: including(present.failed, eventId, Math.max(policy.disableEvents, policy.breakerEvents)),
  unreached: isUnreached(attempt)
    ? including(present.unreached, eventId, policy.breakerUnreachedEvents)
    : present.unreached
})

const including = (known: ReadonlyArray<EventId>, id: EventId, limit: number): ReadonlyArray<EventId> =>
  known.includes(id) || known.length >= limit ? known : [...known, id]

const isUnreached = ({ failure }: DeliveryAttempt): boolean =>
  failure === "refused" || failure === "dns" || failure === "tls" || failure === "timeout"

const alarmOf = (
  { status }: Webhook,
  failures: number,
  health: CircuitBreakerState,
  attempt: DeliveryAttempt,
  policy: WebhookPolicy
): ContactAlertReason | null => {
  if (status === "disabled") return null
  if (attempt.status === 410) return "gone"
  if (status === "paused") return null
  const lasts = (duration: Duration.Duration) =>
    attempt.at - (health.failingSince ?? attempt.at) >= Duration.toMillis(duration)
  if (
    failures >= policy.disableFailures &&
    lasts(policy.disableAfter) &&
    health.failed.length >= policy.disableEvents
  ) {
    return "disabled"
  }
  return !health.warned && failures >= policy.warnFailures && lasts(policy.warnAfter) ? "failing" : null
}

const isToOpen = (failures: number, { failed, unreached }: CircuitBreakerState, policy: WebhookPolicy): boolean =>
  (failures >= policy.breakerFailures && failed.length >= policy.breakerEvents) ||
  unreached.length >= policy.breakerUnreachedEvents

const countProbe = (health: CircuitBreakerState, probe: boolean): CircuitBreakerState =>
  probe && health.probes !== null ? { ...health, probes: health.probes + 1 } : health

/** Returns the time of the next probe. The delay before a probe doubles after each failed probe, up to a limit. */
const nextProbe = (
  { probes }: CircuitBreakerState,
  now: Instant.Instant,
  { probeDelay, probeDelayMax }: WebhookPolicy
): Instant.Instant =>
  now + Math.min(Duration.toMillis(probeDelay) * 2 ** Math.min(probes ?? 0, 30), Duration.toMillis(probeDelayMax))

/** The number of deliveries that may start now. Deliveries in flight reduce the number of deliveries that may start. */
export interface DeliveryAllowance {
  readonly limit: number
  /**
   * True if the delivery is a probe. A probe tests a failing receiver and does not count as one of the event's
   * attempts.
   */
  readonly probe: boolean
}

export const calculateDeliveryAllowance = (
  { health, quietUntil, webhook }: ReceiverState,
  inFlight: number,
  now: Instant.Instant,
  policy: WebhookPolicy
): DeliveryAllowance => {
  const probe = health.probes !== null
  if (webhook.status !== "active" || (quietUntil !== null && now < quietUntil)) return { limit: 0, probe }
  // A failing receiver gets one delivery at a time, because each timeout occupies a shared connection for a long time.
  const free = Math.max(0, (webhook.consecutiveFailures > 0 ? 1 : policy.concurrency) - inFlight)
  if (health.draining === null) return { limit: free, probe }
  return {
    limit: Math.min(free, Math.max(0, calculateBacklogAllowance(health.draining, now, policy) - health.draining.sent)),
    probe
  }
}

/** Returns the receiver's state after a claim of `count` deliveries, when `limit` deliveries were allowed. */
export const updateAfterClaim = (
  present: ReceiverState,
  { limit, count }: { readonly limit: number; readonly count: number },
  now: Instant.Instant,
  policy: WebhookPolicy
): ReceiverState => {
  const { draining } = present.health
  if (draining === null || (present.quietUntil !== null && now < present.quietUntil)) return present
  const sent = draining.sent + count
  const isOver = count < limit || now < draining.since || second(draining, now) >= policy.drainSeconds
  const next = draining.since + (second(draining, now) + 1) * 1000
  const isSpent = sent >= calculateBacklogAllowance(draining, now, policy)
  return {
    ...present,
    health: { ...present.health, draining: isOver ? null : { ...draining, sent } },
    quietUntil: isOver ? null : isSpent ? next : present.quietUntil
  }
}

const second = ({ since }: { readonly since: Instant.Instant }, now: Instant.Instant): number =>
  Math.max(0, Math.floor((now - since) / 1000))

/**
 * Returns how many deliveries may have been sent since the start of the rate limit. The rate for the backlog is
 * `drainRate` in the first second and doubles each second.
 */
const calculateBacklogAllowance = (
  draining: NonNullable<CircuitBreakerState["draining"]>,
  now: Instant.Instant,
  policy: WebhookPolicy
): number => policy.drainRate * (2 ** Math.min(second(draining, now) + 1, 40) - 1)
