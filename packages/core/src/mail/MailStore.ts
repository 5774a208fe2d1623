/**
 * The port that stores mails until a mail server accepts them. The transaction that changes an assignment queues the
 * mails about it. This port queues the others.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { LatestDue } from "../shared/DueTimes.ts"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Mail, NewMail } from "./Mail.ts"

/**
 * The outcome of an attempt. `obsolete`: the mail is no longer needed and was not sent. `released`: a stopping worker
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
    /** A queued mail is due at once. If a mail with this id exists, it stays as it is. */
    readonly queue: (mail: NewMail) => Effect.Effect<void>
    /**
     * Claims up to `limit` due mails. No other worker gets them before `lease`; if no outcome is stored by then, they
     * are due again and the attempt is not counted. Organizations take turns, starting with the one after `behind`.
     * Each organization's oldest mail comes first, and none gets more than an equal share. Mails without an
     * organization count as one organization. The organization of the last returned mail is the next `behind`.
     */
    readonly claim: (
      at: Instant,
      lease: Instant,
      limit: number,
      behind?: OrganizationId | null
    ) => Effect.Effect<ReadonlyArray<Mail>>
    /** Extends the mail's lease. Returns false when the mail was settled, or claimed again. */
    readonly renew: (mail: Mail, lease: Instant) => Effect.Effect<boolean>
    /**
     * Stores the outcome of an attempt. Returns false and changes nothing unless the mail carries the latest ticket.
     */
    readonly settle: (mail: Mail, outcome: MailOutcome, at: Instant) => Effect.Effect<boolean>
    /**
     * Makes a waiting mail, or its resent copy, due at `at`. A claimed mail keeps its due time. If no mail waits, the
     * latest failed mail is queued again with its attempts reset. Returns false if no mail waits and none failed.
     * `unclaimedOnly` ignores claimed mails, because a worker may be sending them to an old address.
     */
    readonly retryNow: (
      id: string,
      at: Instant,
      options?: { readonly unclaimedOnly: boolean }
    ) => Effect.Effect<boolean>
    /**
     * Makes mails due earlier whose due time is later than any delay allows, because a clock was fast. Claimed mails
     * get a full lease from now.
     */
    readonly repairDueTimes: (latest: LatestDue) => Effect.Effect<void>
    /** Removes the address (case-insensitive) from all mails, and cancels the mails that are still queued. */
    readonly forget: (address: string) => Effect.Effect<void>
    /** The next time at which a mail is due. */
    readonly nextDue: Effect.Effect<Option.Option<Instant>>
    /**
     * Queues up to `limit` failed mails again, due at `at`, with their attempts reset. Selects mails that failed from
     * `since` until before `before`. Inbox links are excluded, because a creator asked for them at that time. Returns
     * the number of requeued mails.
     */
    readonly requeueFailed: (since: Instant, before: Instant, at: Instant, limit: number) => Effect.Effect<number>
    /** The organization's assignments with a failed mail in this period: the first few, and the total. */
    readonly undelivered: (
      organizationId: OrganizationId,
      time: { readonly from: Instant; readonly to: Instant },
      limit: number
    ) => Effect.Effect<{ readonly shareIds: ReadonlyArray<ShareId>; readonly total: number }>
    /** Lists failed mails for the operator, newest first. */
    readonly failed: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly mail: Mail; readonly reason: string; readonly at: Instant }>>
  }
>()("@partner-commentary/core/mail/MailStore") {}
