/**
 * The port that stores mails until a mail server accepts them. A transaction that changes an assignment queues the
 * mails about the change. This port queues all other mails.
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
 * interrupted the attempt, which does not count. `unanswered`: the complete mail was sent and no reply arrived.
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
    /** Adds a mail to the queue, due at once. If a mail with this id exists, nothing changes. */
    readonly queue: (mail: NewMail) => Effect.Effect<void>
    /**
     * Claims up to `limit` due mails until the time `lease`. Mails without a stored outcome at the end of the lease are
     * due again, and the attempt does not count. Organizations take turns, starting with the organization after
     * `behind`, each with its oldest mail first. No organization gets more than an equal share. Mails without an
     * organization count as one organization. The next `behind` is the organization of the last returned mail.
     */
    readonly claim: (
      at: Instant,
      lease: Instant,
      limit: number,
      behind?: OrganizationId | null
    ) => Effect.Effect<ReadonlyArray<Mail>>
    /** Extends the mail's lease. Returns false when the mail was settled or claimed again. */
    readonly renew: (mail: Mail, lease: Instant) => Effect.Effect<boolean>
    /**
     * Stores the outcome of an attempt. If the mail's ticket is outdated, the method changes nothing and returns false.
     */
    readonly settle: (mail: Mail, outcome: MailOutcome, at: Instant) => Effect.Effect<boolean>
    /**
     * Makes a waiting mail, or its resent copy, due at `at`. A claimed mail keeps its due time. If no mail waits, the
     * latest failed mail is queued again with its attempts reset. Returns false if no mail waits and none has failed.
     * `unclaimedOnly` ignores claimed mails, because a worker may be sending them to an old address.
     */
    readonly retryNow: (
      id: string,
      at: Instant,
      options?: { readonly unclaimedOnly: boolean }
    ) => Effect.Effect<boolean>
    /**
     * Makes mails due earlier if a fast clock scheduled them later than any valid delay. A claimed mail gets a full
     * lease from now.
     */
    readonly repairDueTimes: (latest: LatestDue) => Effect.Effect<void>
    /** Removes the address (case-insensitive) from all mails, and cancels the mails that are still queued. */
    readonly forget: (address: string) => Effect.Effect<void>
    /** The next time at which a mail is due; none when no mail is queued. */
    readonly nextDue: Effect.Effect<Option.Option<Instant>>
    /**
     * Queues up to `limit` failed mails again, due at `at`, with their attempts reset. Only mails that failed at
     * `since` or later and before `before` are queued. Inbox links are excluded, because creators needed them only at
     * that time. Returns the number of queued mails.
     */
    readonly requeueFailed: (since: Instant, before: Instant, at: Instant, limit: number) => Effect.Effect<number>
    /**
     * Returns the organization's assignments with a failed mail in this period: up to `limit` of them, and the total
     * number.
     */
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
