/** The limits and schedules of webhook delivery. Hosts read some of these values from the environment. */
import * as Duration from "effect/Duration"

export interface WebhookPolicy {
  /** True if the API description allows `http:` receivers, as the transport does in development. */
  readonly allowHttp: boolean
  /** The IP addresses and networks from which the service sends deliveries. The service publishes this list. */
  readonly sources: ReadonlyArray<string>
  /** The timeout of one attempt, from the DNS look-up to the last byte of the response. */
  readonly timeout: Duration.Duration
  /** The delays between attempts. The number of attempts is one more than the number of delays. */
  readonly retries: ReadonlyArray<Duration.Duration>
  /** The longest `Retry-After` delay that the service respects. */
  readonly longestWait: Duration.Duration
  /** The maximum number of concurrent deliveries to one webhook. */
  readonly concurrency: number
  /**
   * The service disables a webhook after this many consecutive failures, if the failures have lasted for `disableAfter`
   * and concern `disableEvents` distinct events.
   */
  readonly disableFailures: number
  readonly disableAfter: Duration.Duration
  readonly disableEvents: number
  /** The service warns the contact after this many failures, if the failures have lasted for `warnAfter`. */
  readonly warnFailures: number
  readonly warnAfter: Duration.Duration
  /**
   * The circuit breaker opens after this many consecutive failures of this many events. The breaker also opens when the
   * connections for this many events failed.
   */
  readonly breakerFailures: number
  readonly breakerEvents: number
  readonly breakerUnreachedEvents: number
  /** The delay until the first probe. The delay doubles after each failed probe, up to a maximum. */
  readonly probeDelay: Duration.Duration
  readonly probeDelayMax: Duration.Duration
  /** The shortest pause after a 429. The pause doubles with each consecutive pause, up to a maximum. */
  readonly throttleDelay: Duration.Duration
  readonly throttleDelayMax: Duration.Duration
  /** The service notifies the contact when 429 responses delay events by this time. */
  readonly throttleWarnAfter: Duration.Duration
  readonly throttleWarnEvery: Duration.Duration
  /**
   * The number of held deliveries in the first second after the breaker closed. The number doubles each second, for
   * `drainSeconds` seconds.
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
