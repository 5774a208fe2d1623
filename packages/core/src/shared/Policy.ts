/** The product's figures: windows, bounds and schedules, with their defaults. Hosts read some of them from the environment. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Webhooks from "./WebhookPolicy.ts"

export interface Policy {
  /** How long a creator may take to respond, counted from the handed-over mail. */
  readonly responseWindow: Duration.Duration
  /** So long is a mail retried. Where its address is refused for good, the response window starts this long after submission. */
  readonly mailWindow: Duration.Duration
  /** A request whose mail was neither handed over nor refused for good closes so long after submission: outages end by then. */
  readonly deliveryWindow: Duration.Duration
  /** How long a creator may take to approve, counted from each draft. */
  readonly approvalWindow: Duration.Duration
  /** The same topic for the same persona is a duplicate for so long. */
  readonly duplicateWindow: Duration.Duration
  /** Bounds of a topic's content in Unicode code points, after trimming. */
  readonly contentLength: { readonly min: number; readonly max: number }
  /** The delays between attempts at a draft: one attempt more than delays. */
  readonly generationRetries: ReadonlyArray<Duration.Duration>
  /** The delays between attempts at audio or video: one attempt more than delays. */
  readonly mediaRetries: ReadonlyArray<Duration.Duration>
  /** After the last attempt, creator or operator may start again for so long. */
  readonly generationGrace: Duration.Duration
  /** Drafts of one assignment at most, the first included. */
  readonly maxDrafts: number
  /** How long a creator's link still reads after the assignment is settled. */
  readonly readingWindow: Duration.Duration
  /** A piece of outside work (a mail, a generation) that did not report back for so long is taken up again. */
  readonly lease: Duration.Duration
  /** In the test environment the same topic for the same persona is a duplicate for so long. */
  readonly testDuplicateWindow: Duration.Duration
  /** How long a simulated creator takes for each step. */
  readonly testPace: Duration.Duration
  /** Test topics are deleted, by whole days (UTC), when they are older than this. */
  readonly testRetention: Duration.Duration
  /** What the test environment stores for one organization at most. */
  readonly testStorage: { readonly topics: number; readonly bytes: number }
  /** An idempotency key gives its first answer again for so long. */
  readonly idempotencyWindow: Duration.Duration
  readonly webhooks: Webhooks.WebhookPolicy
}

export const defaults: Policy = {
  responseWindow: Duration.hours(48),
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

/** The policy in force. */
export const Policy = Context.Reference<Policy>("@partner-commentary/core/shared/Policy", {
  defaultValue: () => defaults
})
