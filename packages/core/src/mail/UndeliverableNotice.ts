/**
 * Informs an organization's contact about failed mails to creators. Each organization gets at most one mail an hour.
 */
import * as Duration from "effect/Duration"
import type { OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Mail, NewMail } from "./Mail.ts"

const period = Duration.hours(1)

/**
 * The mail waits for this time after the hour, so that failures that are committed late are included. Workers' clocks
 * may differ.
 */
const margin = Duration.minutes(1)

/**
 * Returns the mail about an hour's failures. The mail is due a minute after the hour. Queuing it again changes nothing.
 */
export const undeliverableNoticeOf = (organizationId: OrganizationId, failedAt: Instant.Instant): NewMail => {
  const bucket = Instant.bucketOf(failedAt, period)
  const end = (bucket + 1) * Duration.toMillis(period)
  return {
    id: `${organizationId}.undeliverable-${bucket}`,
    kind: "undeliverable",
    shareId: null,
    organizationId,
    address: null,
    createdAt: Instant.plus(end, margin)
  }
}

/** Returns the hour that a mail about failures reports: failures at or after `from` and before `to`. */
export const reportedPeriod = ({ createdAt }: Pick<Mail, "createdAt">) => {
  const to = createdAt - Duration.toMillis(margin)
  return { from: to - Duration.toMillis(period), to }
}
