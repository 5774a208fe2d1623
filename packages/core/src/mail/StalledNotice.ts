/**
 * Limits mails about stalled drafts. The service sends the first mail at once, and then at most one mail an hour for
 * each assignment, however often a creator restarts generation. Only the latest mail of an hour is sent.
 */
import * as Duration from "effect/Duration"
import type { ShareId } from "../shared/Ids.ts"
import type * as Instant from "../shared/Instant.ts"
import { noticeId } from "./Mail.ts"

const period = Duration.toMillis(Duration.hours(1))

/**
 * Returns when to send the mail. `last` is the time of the latest earlier mail, sent or queued, and can be in the
 * future.
 */
export const nextStalledNoticeAt = (last: Instant.Instant | null, now: Instant.Instant): Instant.Instant =>
  last === null ? now : Math.min(Math.max(now, last > now ? last : last + period), now + period)

/** Returns two ids. The ids of all mails about this assignment's stalled drafts sort between these two ids. */
export const stalledNoticeIdRange = (shareId: ShareId): { readonly from: string; readonly to: string } => ({
  from: noticeId(shareId, "stalled-"),
  to: noticeId(shareId, "stalled.")
})
