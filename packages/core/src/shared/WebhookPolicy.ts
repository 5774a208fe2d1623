/** The limits and schedules of webhook delivery. Hosts read some of these values from environment variables. */
import * as Duration from "effect/Duration"

export interface WebhookPolicy {
  /**
   * True if the OpenAPI document says that webhook URLs may start with `http:`. The webhook transport decides
   * separately whether it accepts `http:` URLs.
   */
  readonly allowHttp: boolean
  /** The source addresses and networks of deliveries, which the service publishes to partners. */
  readonly sources: ReadonlyArray<string>
  /** The timeout of one delivery attempt, from the DNS look-up to the last byte of the response. */
  readonly timeout: Duration.Duration
  /** The delays between delivery attempts. The number of attempts is the number of delays plus one. */
  readonly retries: ReadonlyArray<Duration.Duration>
  /** The longest delay from a `Retry-After` header that the service honours. */
  readonly longestWait: Duration.Duration
  /** The maximum number of concurrent deliveries to one webhook. */
  readonly concurrency: number
  /**
   * The service disables a webhook after `disableFailures` consecutive failures, if the failures span at least
   * `disableAfter` and concern at least `disableEvents` events.
   */
  readonly disableFailures: number
  readonly disableAfter: Duration.Duration
  readonly disableEvents: number
  /** The service warns the webhook's contact after `warnFailures` consecutive failures over at least `warnAfter`. */
  readonly warnFailures: number
  readonly warnAfter: Duration.Duration
  /**
   * The circuit breaker opens after `breakerFailures` consecutive failures that concern at least `breakerEvents`
   * distinct events. The breaker also opens if no server could be reached for `breakerUnreachedEvents` distinct events.
   */
  readonly breakerFailures: number
  readonly breakerEvents: number
  readonly breakerUnreachedEvents: number
  /** The delay before the first probe. The delay doubles after each failed probe, up to `probeDelayMax`. */
  readonly probeDelay: Duration.Duration
  readonly probeDelayMax: Duration.Duration
  /** The shortest pause after a 429. The pause doubles with each consecutive pause, up to `throttleDelayMax`. */
  readonly throttleDelay: Duration.Duration
  readonly throttleDelayMax: Duration.Duration
  /**
   * The service notifies the webhook's contact when 429 responses delay events by `throttleWarnAfter`, at most once per
   * `throttleWarnEvery`.
   */
  readonly throttleWarnAfter: Duration.Duration
  readonly throttleWarnEvery: Duration.Duration
  /**
   * After the breaker has closed, the service sends `drainRate` held deliveries in the first second. The rate for the
   * backlog doubles each second, and the rate limit ends after `drainSeconds`.
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
