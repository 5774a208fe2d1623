/**
 * Limits mails about stalled drafts. A draft is stalled when all generation attempts failed, and a creator can restart
 * generation many times. The first mail about a stalled draft of an assignment is sent immediately. After an
 * assignment's first mail about a stalled draft, only the latest mail of each hour is sent.
 */
import * as Duration from "effect/Duration"
import type { ShareId } from "../shared/Ids.ts"
import type * as Instant from "../shared/Instant.ts"
import { makeAssignmentMailId } from "./Mail.ts"

const period = Duration.toMillis(Duration.hours(1))

/**
 * Returns when to send the mail. `last` is the due time of the previous mail about the assignment's stalled draft. The
 * due time of a queued mail can be in the future.
 */
export const nextStalledDraftNoticeAt = (last: Instant.Instant | null, now: Instant.Instant): Instant.Instant =>
  last === null ? now : Math.min(Math.max(now, last > now ? last : last + period), now + period)

/** Returns a lower and an upper bound for the ids of an assignment's mails about stalled drafts. */
export const makeStalledDraftNoticeIdRange = (shareId: ShareId): { readonly from: string; readonly to: string } => ({
  from: makeAssignmentMailId(shareId, "stalled-"),
  to: makeAssignmentMailId(shareId, "stalled.")
})
