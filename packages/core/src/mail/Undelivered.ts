/** The mail that tells an organization's contact what was not delivered: one for each organization and hour, however much it was. */
import * as Duration from "effect/Duration"
import type { OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Mail, NewMail } from "./Mail.ts"

const period = Duration.hours(1)

/** Failures of the period's end are committed by then, and the clocks of other workers have reached it. */
const margin = Duration.minutes(1)

/** Queuing the one of the same hour again changes nothing. It is due when its hour is over. */
export const noticeOf = (organizationId: OrganizationId, failedAt: Instant.Instant): NewMail => {
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

/** What failed from `from` on and before `to` is in this notice. */
export const periodOf = ({ createdAt }: Pick<Mail, "createdAt">) => {
  const to = createdAt - Duration.toMillis(margin)
  return { from: to - Duration.toMillis(period), to }
}
