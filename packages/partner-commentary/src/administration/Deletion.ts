/** Defines how long mails, events and other data are kept before they are deleted. */
import type { DeletionCutoffs } from "@partner-commentary/core/operations/Retention"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Duration from "effect/Duration"

export const mailRetention = Duration.days(7)
export const eventRetention = Duration.days(30)

export const calculateDeletionCutoffs = (now: Instant.Instant, testRetention: Duration.Duration): DeletionCutoffs => ({
  mails: Instant.plus(now, Duration.negate(mailRetention)),
  windows: now,
  answers: now,
  events: Instant.plus(now, Duration.negate(eventRetention)),
  testTopics: Instant.plus(now, Duration.negate(testRetention))
})
