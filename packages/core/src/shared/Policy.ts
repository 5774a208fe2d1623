/**
 * The product's time windows, limits and schedules, with their defaults. Hosts read some of them from the environment.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Webhooks from "./WebhookPolicy.ts"

export interface Policy {
  /** Time for a creator to respond, from the delivery of the mail. */
  readonly responseWindow: Duration.Duration
  /** The earliest and the latest deadline that a partner may set for responses, from the submission. */
  readonly deadlineRange: { readonly min: Duration.Duration; readonly max: Duration.Duration }
  /**
   * How long the service retries a mail. If the mail fails permanently, the response window starts this long after
   * submission.
   */
  readonly mailWindow: Duration.Duration
  /** A request whose mail was neither delivered nor permanently refused closes this long after submission. */
  readonly deliveryWindow: Duration.Duration
  /** Time for a creator to approve, from each draft. */
  readonly approvalWindow: Duration.Duration
  /** How long the same topic for the same persona is a duplicate. */
  readonly duplicateWindow: Duration.Duration
  /** Limits of a topic's content in Unicode code points, after trimming. */
  readonly contentLength: { readonly min: number; readonly max: number }
  /** Delays between generation attempts. The number of attempts is one more than the number of delays. */
  readonly generationRetries: ReadonlyArray<Duration.Duration>
  /** Delays between media attempts. The number of attempts is one more than the number of delays. */
  readonly mediaRetries: ReadonlyArray<Duration.Duration>
  /** How long creator or operator can restart generation after the last attempt. */
  readonly generationGrace: Duration.Duration
  /** Maximum number of drafts of one assignment, including the first. */
  readonly maxDrafts: number
  /** How long a creator's link stays readable after the assignment is settled. */
  readonly readingWindow: Duration.Duration
  /** An external call (a mail, a generation) that has not reported within this time is retried. */
  readonly lease: Duration.Duration
  /** How long the same topic for the same persona is a duplicate in the test environment. */
  readonly testDuplicateWindow: Duration.Duration
  /** The time between two steps of a simulated creator. */
  readonly testPace: Duration.Duration
  /** Test topics older than this are deleted, a whole UTC day at a time. */
  readonly testRetention: Duration.Duration
  /** Storage limit of one organization's test environment. */
  readonly testStorage: { readonly topics: number; readonly bytes: number }
  /** How long an idempotency key returns the stored response. */
  readonly idempotencyWindow: Duration.Duration
  readonly webhooks: Webhooks.WebhookPolicy
}

export const defaults: Policy = {
  responseWindow: Duration.hours(48),
  deadlineRange: { min: Duration.hours(1), max: Duration.days(14) },
  mailWindow: Duration.hours(24),
  deliveryWindow: Duration.days(7),
  approvalWindow: Duration.days(7),
  duplicateWindow: Duration.hours(24),
  contentLength: { min: 10, max: 500 },
  generationRetries: [Duration.minutes(1), Duration.minutes(10), Duration.hours(1), Duration.hours(6)],
  mediaRetries: [Duration.minutes(1), Duration.minutes(10), Duration.hours(1), Duration.hours(6)],
  generationGrace: Duration.hours(24),
  maxDrafts: 10,
  readingWindow: Duration.days(30),
  lease: Duration.seconds(90),
  testDuplicateWindow: Duration.seconds(60),
  testPace: Duration.millis(1500),
  testRetention: Duration.days(30),
  testStorage: { topics: 10_000, bytes: 250_000_000 },
  idempotencyWindow: Duration.hours(24),
  webhooks: Webhooks.defaults
}

/** The current policy. */
export const Policy = Context.Reference<Policy>("@partner-commentary/reference/Policy", {
  defaultValue: () => defaults
})
