/**
 * The product's time windows, limits and schedules, with their defaults. Hosts read some of these values from the
 * environment.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Webhooks from "./WebhookPolicy.ts"

export interface Policy {
  /** The time in which a creator can respond, from the delivery of the mail. */
  readonly responseWindow: Duration.Duration
  /** The earliest and latest response deadline that a partner may set, measured from the submission. */
  readonly deadlineRange: { readonly min: Duration.Duration; readonly max: Duration.Duration }
  /**
   * The time for which the service retries a mail. If the mail fails permanently, the response window starts this long
   * after the submission.
   */
  readonly mailWindow: Duration.Duration
  /**
   * If a request mail is neither delivered nor permanently refused, the request closes this long after the submission.
   */
  readonly deliveryWindow: Duration.Duration
  /** The time in which a creator can approve, measured from each draft. */
  readonly approvalWindow: Duration.Duration
  /** The time in which the same topic for the same persona is a duplicate. */
  readonly duplicateWindow: Duration.Duration
  /** The minimum and maximum length of trimmed topic content in Unicode code points. */
  readonly contentLength: { readonly min: number; readonly max: number }
  /** The delays between generation attempts. The number of attempts is one more than the number of delays. */
  readonly generationRetries: ReadonlyArray<Duration.Duration>
  /** The delays between media attempts. The number of attempts is one more than the number of delays. */
  readonly mediaRetries: ReadonlyArray<Duration.Duration>
  /** The time in which the creator or operator can restart generation after the last attempt. */
  readonly generationGrace: Duration.Duration
  /** Maximum number of drafts of one assignment, including the first draft. */
  readonly maxDrafts: number
  /** The time for which a creator's link still shows the assignment after the assignment is settled. */
  readonly readingWindow: Duration.Duration
  /**
   * The lease of a claimed job, such as a mail or a generation. A job without a result at the end of the lease is
   * retried.
   */
  readonly lease: Duration.Duration
  /** The time in which the same topic for the same persona is a duplicate in the test environment. */
  readonly testDuplicateWindow: Duration.Duration
  /** The time between two steps of a simulated creator. */
  readonly testPace: Duration.Duration
  /** The age at which test topics are deleted, one whole UTC day at a time. */
  readonly testRetention: Duration.Duration
  /** The storage limit of one organization's test environment. */
  readonly testStorage: { readonly topics: number; readonly bytes: number }
  /** The time for which an idempotency key returns the stored response. */
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

/** The policy that is in effect. */
export const Policy = Context.Reference<Policy>("@partner-commentary/reference/Policy", {
  defaultValue: () => defaults
})
