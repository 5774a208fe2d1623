/** The figures by which events are delivered. Hosts read some of them from the environment. */
import * as Duration from "effect/Duration"

export interface WebhookPolicy {
  /** Whether receivers at `http:` addresses are described as allowed, as the transport allows them in development. */
  readonly allowHttp: boolean
  /** How long one attempt may take, from the name's look-up to the last byte of the answer. */
  readonly timeout: Duration.Duration
  /** The delays between attempts: one attempt more than delays. */
  readonly retries: ReadonlyArray<Duration.Duration>
  /** A receiver that asks to wait is obeyed for so long. */
  readonly longestWait: Duration.Duration
  /** Deliveries to one webhook at a time. */
  readonly concurrency: number
  /** Disabled when all hold: failed attempts in a row, for so long, for so many different events. */
  readonly disableFailures: number
  readonly disableAfter: Duration.Duration
  readonly disableEvents: number
  /** The contact is warned when both hold. */
  readonly warnFailures: number
  readonly warnAfter: Duration.Duration
  /** The breaker opens after so many failed attempts in a row over so many events, or when nobody could be reached for so many. */
  readonly breakerFailures: number
  readonly breakerEvents: number
  readonly breakerUnreachedEvents: number
  /** From the opening to the first probe; twice as long after each that fails, up to the bound. */
  readonly probeDelay: Duration.Duration
  readonly probeDelayMax: Duration.Duration
  /** The shortest pause after a 429; twice as long after each consecutive one, up to the bound. */
  readonly throttleDelay: Duration.Duration
  readonly throttleDelayMax: Duration.Duration
  /** The contact is told when 429 makes events late by so much, and again while it goes on. */
  readonly throttleWarnAfter: Duration.Duration
  readonly throttleWarnEvery: Duration.Duration
  /** So many of the held go out in the first second after it closed, and twice as many in each one after, for so many seconds. */
  readonly drainRate: number
  readonly drainSeconds: number
}

export const defaults: WebhookPolicy = {
  allowHttp: false,
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
