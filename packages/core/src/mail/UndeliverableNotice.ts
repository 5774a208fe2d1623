/** Informs an organization's contact about failed mails, with at most one mail for each organization and hour. */
import * as Duration from "effect/Duration"
import type { OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Mail, NewMail } from "./Mail.ts"

const period = Duration.hours(1)

/**
 * The clocks of workers may differ, so failures at the end of the period may be committed late. The margin includes
 * these failures.
 */
const margin = Duration.minutes(1)

/** Returns the notice, which is due at the end of the hour. If the notice is queued again, nothing changes. */
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

/** Returns the period of the listed failures, from `from` (inclusive) to `to` (exclusive). */
export const reportedPeriod = ({ createdAt }: Pick<Mail, "createdAt">) => {
  const to = createdAt - Duration.toMillis(margin)
  return { from: to - Duration.toMillis(period), to }
}
