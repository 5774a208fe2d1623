/**
 * Defines the mail that informs an organization's contact about failed mails to creators. Each organization gets at
 * most one mail about failed mails in an hour.
 */
import * as Duration from "effect/Duration"
import type { OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Mail, NewMail } from "./Mail.ts"

const period = Duration.hours(1)

/**
 * The mail is due one minute after the end of the hour, so that it includes failures that are committed late or by
 * workers with slow clocks.
 */
const margin = Duration.minutes(1)

/**
 * Returns the mail about all failures in the hour of `failedAt`. The mail's id depends only on the organization and the
 * hour, so queuing the mail again changes nothing.
 */
export const makeUndeliverableNotice = (organizationId: OrganizationId, failedAt: Instant.Instant): NewMail => {
  const bucket = Instant.calculatePeriodNumber(failedAt, period)
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

/** Returns the hour whose failures a mail reports. The hour starts at `from` and ends before `to`. */
export const findReportedHour = ({ createdAt }: Pick<Mail, "createdAt">) => {
  const to = createdAt - Duration.toMillis(margin)
  return { from: to - Duration.toMillis(period), to }
}
