/**
 * The product's time windows, limits and schedules, with their defaults. Hosts read some of these values from
 * environment variables.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Webhooks from "./WebhookPolicy.ts"

export interface Policy {
  /** The time that a creator has to respond, starting at the delivery of the request mail. */
  readonly responseWindow: Duration.Duration
  /** The earliest and latest response deadlines that a partner may set, as durations after the submission. */
  readonly deadlineRange: { readonly min: Duration.Duration; readonly max: Duration.Duration }
  /**
   * The period in which the service retries a mail. If a request mail fails permanently, the creator's response window
   * starts as if the mail had been delivered this long after the submission.
   */
  readonly mailWindow: Duration.Duration
  /**
   * The time after the submission at which an assignment expires if its request mail is still undelivered, and the mail
   * server has not refused the mail permanently.
   */
  readonly deliveryWindow: Duration.Duration
  /** The time that a creator has to approve a draft, starting at each new draft. */
  readonly approvalWindow: Duration.Duration
  /** The period in which the same topic for the same persona counts as a duplicate in the live environment. */
  readonly duplicateWindow: Duration.Duration
  /** The minimum and maximum length of a topic's content after trimming, in Unicode code points. */
  readonly contentLength: { readonly min: number; readonly max: number }
  /** The delays between the attempts to generate a draft. The number of attempts is the number of delays plus one. */
  readonly generationRetries: ReadonlyArray<Duration.Duration>
  /** The delays between the attempts to produce media. The number of attempts is the number of delays plus one. */
  readonly mediaRetries: ReadonlyArray<Duration.Duration>
  /** The period after the last failed attempt in which the creator or an operator can restart generation. */
  readonly generationGrace: Duration.Duration
  /** The maximum number of drafts of one assignment, including the first draft. */
  readonly maxDrafts: number
  /** The period after the end of an assignment in which the creator's link still shows the page. */
  readonly readingWindow: Duration.Duration
  /**
   * The lease of an external call, such as a mail or a generation. A call without a result at the end of the lease is
   * retried.
   */
  readonly lease: Duration.Duration
  /** The period in which the same topic for the same persona counts as a duplicate in the test environment. */
  readonly testDuplicateWindow: Duration.Duration
  /** The time between two steps of a simulated creator. */
  readonly testPace: Duration.Duration
  /** The maximum age of test topics. Test topics that exceed the maximum age are deleted, one UTC day at a time. */
  readonly testRetention: Duration.Duration
  /** The storage limit of one organization in the test environment. */
  readonly testStorage: { readonly topics: number; readonly bytes: number }
  /** The period in which requests with the same idempotency key get the stored response. */
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

/** The current policy, which is `defaults` unless the host provides another policy. */
export const Policy = Context.Reference<Policy>("@partner-commentary/reference/Policy", {
  defaultValue: () => defaults
})
