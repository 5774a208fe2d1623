/** The port that keeps mails until they are handed over. Mails about an assignment are queued with its change; others here. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { LatestDue } from "../shared/DueTimes.ts"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Mail, NewMail } from "./Mail.ts"

/**
 * The outcome of an attempt. `obsolete`: the mail is no longer needed and was not sent. `released`: the worker's stop
 * interrupted the attempt, which does not count. `unanswered`: the whole mail was sent and no reply came.
 */
export type MailOutcome =
  | { readonly state: "sent" | "obsolete" | "released" }
  | {
      readonly state: "waiting"
      readonly until: Instant
      readonly reason: string
      readonly unanswered?: boolean
    }
  | { readonly state: "failed"; readonly reason: string }

export class MailStore extends Context.Service<
  MailStore,
  {
    /** Due at once. One that is there already stays as it is. */
    readonly queue: (mail: NewMail) => Effect.Effect<void>
    /**
     * Takes mails that are due, so many at most. Until `lease` nobody else gets them; if no outcome comes by then, they are
     * due again, and the attempt that never ended is not counted. Organizations take turns, and so do the mails of none: each that has one due
     * gets one before any gets more, beginning behind the one named if any, and none gets more than its even part; of each the longest
     * overdue come first. Answers in that order: whoever takes on behind the last one's passes nobody over.
     */
    readonly claim: (
      at: Instant,
      lease: Instant,
      limit: number,
      behind?: OrganizationId | null
    ) => Effect.Effect<ReadonlyArray<Mail>>
    /** Moves the end of the lease. False when the mail was settled or another claim has overtaken this one. */
    readonly renew: (mail: Mail, lease: Instant) => Effect.Effect<boolean>
    /** Counts only for the attempt that the mail was claimed with: one that was overtaken changes nothing, and is told so by false. */
    readonly settle: (mail: Mail, outcome: MailOutcome, at: Instant) => Effect.Effect<boolean>
    /**
     * Makes a waiting mail, or a repetition of it, due at this moment; the due time of one that a worker has claimed stays. Where
     * none waits, the mail that failed last is queued again, due at this moment and as before its first attempt. False when
     * there is neither. With `unclaimedOnly` a claimed mail counts as none, because it may be on its way to an old address.
     */
    readonly hasten: (id: string, at: Instant, options?: { readonly unclaimedOnly: boolean }) => Effect.Effect<boolean>
    /**
     * Mails that are due later than any delay explains, because a clock ran ahead, are due now; those that somebody is at get a whole
     * lease from now.
     */
    readonly repairDueTimes: (latest: LatestDue) => Effect.Effect<void>
    /** Nothing is sent to this address any more, and none of the mails names it; whatever its case. */
    readonly forget: (address: string) => Effect.Effect<void>
    /** The next moment at which one falls due. */
    readonly nextDue: Effect.Effect<Option.Option<Instant>>
    /**
     * Mails that were given up from `since` on and before `before`, so many at most, wait again, due at this moment, as before
     * their first attempt. Links to desks are left out: they were asked for then. Answers with how many.
     */
    readonly revive: (since: Instant, before: Instant, at: Instant, limit: number) => Effect.Effect<number>
    /** The organization's assignments of which a mail was given up in this time: the first few, and how many there are. */
    readonly undelivered: (
      organizationId: OrganizationId,
      time: { readonly from: Instant; readonly to: Instant },
      limit: number
    ) => Effect.Effect<{ readonly shareIds: ReadonlyArray<ShareId>; readonly total: number }>
    /** Given up, newest first: for the operator. */
    readonly failed: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly mail: Mail; readonly reason: string; readonly at: Instant }>>
  }
>()("@partner-commentary/core/mail/MailStore") {}
