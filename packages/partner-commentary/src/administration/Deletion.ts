/** Defines how long mails, events and other data are kept before they are deleted. */
import type { DeletionCutoffs } from "@partner-commentary/core/operations/Retention"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Duration from "effect/Duration"

export const keptMails = Duration.days(7)
export const keptEvents = Duration.days(30)

export const deletionLimits = (now: Instant.Instant, testRetention: Duration.Duration): DeletionCutoffs => ({
  mails: Instant.plus(now, Duration.negate(keptMails)),
  windows: now,
  answers: now,
  events: Instant.plus(now, Duration.negate(keptEvents)),
  testTopics: Instant.plus(now, Duration.negate(testRetention))
})
