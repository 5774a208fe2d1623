/** Limits and schedules of webhook delivery. Hosts read some of them from the environment. */
import * as Duration from "effect/Duration"

export interface WebhookPolicy {
  /** Whether the API description allows `http:` receivers, as the transport does in development. */
  readonly allowHttp: boolean
  /** The addresses and networks that deliveries come from, which the service publishes. */
  readonly sources: ReadonlyArray<string>
  /** Timeout of one attempt, from the DNS look-up to the last byte of the response. */
  readonly timeout: Duration.Duration
  /** Delays between attempts. The number of attempts is one more than the number of delays. */
  readonly retries: ReadonlyArray<Duration.Duration>
  /** The longest `Retry-After` that the service honours. */
  readonly longestWait: Duration.Duration
  /** Concurrent deliveries to one webhook. */
  readonly concurrency: number
  /**
   * A webhook is disabled after this many consecutive failures, if they lasted this long and concern this many distinct
   * events.
   */
  readonly disableFailures: number
  readonly disableAfter: Duration.Duration
  readonly disableEvents: number
  /** The service warns the contact when both conditions hold. */
  readonly warnFailures: number
  readonly warnAfter: Duration.Duration
  /**
   * The breaker opens after this many consecutive failures of this many events, or when the connections for this many
   * events failed.
   */
  readonly breakerFailures: number
  readonly breakerEvents: number
  readonly breakerUnreachedEvents: number
  /** Delay until the first probe. The delay doubles after each failed probe, up to this maximum. */
  readonly probeDelay: Duration.Duration
  readonly probeDelayMax: Duration.Duration
  /** The shortest pause after a 429. The pause doubles with each consecutive pause, up to this maximum. */
  readonly throttleDelay: Duration.Duration
  readonly throttleDelayMax: Duration.Duration
  /** The contact is notified when 429 delays events by this much, and again at this interval. */
  readonly throttleWarnAfter: Duration.Duration
  readonly throttleWarnEvery: Duration.Duration
  /**
   * After the breaker closed, this many held deliveries are sent in the first second, doubling each second, for this
   * many seconds.
   */
  readonly drainRate: number
  readonly drainSeconds: number
}

export const defaults: WebhookPolicy = {
  allowHttp: false,
  sources: [],
  timeout: Duration.seconds(15),
  retries: [
    Duration.seconds(5),
    Duration.minutes(5),
    Duration.minutes(30),
    Duration.hours(2),
    Duration.hours(5),
    Duration.hours(10),
    Duration.hours(14),
    Duration.hours(20),
    Duration.hours(24)
  ],
  longestWait: Duration.hours(24),
  concurrency: 5,
  disableFailures: 20,
  disableAfter: Duration.hours(24),
  disableEvents: 2,
  warnFailures: 10,
  warnAfter: Duration.hours(12),
  breakerFailures: 10,
  breakerEvents: 2,
  breakerUnreachedEvents: 3,
  probeDelay: Duration.seconds(60),
  probeDelayMax: Duration.minutes(30),
  throttleDelay: Duration.seconds(5),
  throttleDelayMax: Duration.minutes(30),
  throttleWarnAfter: Duration.hours(1),
  throttleWarnEvery: Duration.hours(24),
  drainRate: 10,
  drainSeconds: 7
}
