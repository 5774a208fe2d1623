/**
 * When a creator is mailed that a draft is stalled: the first time at once, and at most once an hour for each assignment. A
 * creator can restart a draft that fails again at any rate. Only the latest of these mails is still wanted when it is sent.
 */
import * as Duration from "effect/Duration"
import type { ShareId } from "../shared/Ids.ts"
import type * as Instant from "../shared/Instant.ts"
import { noticeId } from "./Mail.ts"

const period = Duration.toMillis(Duration.hours(1))

/** The mail's moment. `last` is the moment of the latest earlier one, sent or waiting; it may lie ahead. */
export const momentAfter = (last: Instant.Instant | null, now: Instant.Instant): Instant.Instant =>
  last === null ? now : Math.min(Math.max(now, last > now ? last : last + period), now + period)

/** The ids of an assignment's mails of this kind lie between these two. */
export const idsOf = (shareId: ShareId): { readonly from: string; readonly to: string } => ({
  from: noticeId(shareId, "stalled-"),
  to: noticeId(shareId, "stalled.")
})
