/** Informs an organization's contact about failed mails: one mail for each organization and hour. */
import * as Duration from "effect/Duration"
import type { OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Mail, NewMail } from "./Mail.ts"

const period = Duration.hours(1)

/**
 * The margin includes failures at the end of the period that are committed late, because workers' clocks may differ.
 */
const margin = Duration.minutes(1)

/** The notice is due at the end of the hour. Queuing the notice again changes nothing. */
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

/** The notice lists failures in `from` ≤ t < `to`. */
export const reportedPeriod = ({ createdAt }: Pick<Mail, "createdAt">) => {
  const to = createdAt - Duration.toMillis(margin)
  return { from: to - Duration.toMillis(period), to }
}
