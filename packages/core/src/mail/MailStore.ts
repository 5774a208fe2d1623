/**
 * The port that stores mails until a mail server accepts them. The transaction that changes an assignment queues the
 * mails about the assignment. If a mail is not caused by a change of an assignment, the caller queues the mail with
 * `queue`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { LatestPlausibleDueTimes } from "../shared/DueTimes.ts"
import type { OrganizationId, ShareId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Mail, NewMail } from "./Mail.ts"

/**
 * The outcome of an attempt. `obsolete`: the mail is no longer needed and was not sent. `released`: a stopping worker
 * interrupted the attempt, so the attempt does not count. `unanswered`: the whole mail was sent but the server did not
 * reply, so the mail may have arrived. `stopped`: the wait for the reply ended because the process stopped, so the
 * unanswered attempt does not count.
 */
export type MailAttemptOutcome =
  | { readonly state: "sent" | "obsolete" | "released" }
  | {
      readonly state: "waiting"
      readonly until: Instant
      readonly reason: string
      readonly unanswered?: boolean
      readonly stopped?: boolean
    }
  | { readonly state: "failed"; readonly reason: string }

export class MailStore extends Context.Service<
  MailStore,
  {
    /** Queues a mail that is due at its `createdAt`. If a mail with this id exists, `queue` changes nothing. */
    readonly queue: (mail: NewMail) => Effect.Effect<void>
    /**
     * Claims up to `limit` due mails. Other workers cannot claim the mails before the time `lease`. If no outcome is
     * stored, the mail is due again at the time `lease`. The attempt is not counted, but may have delivered the mail.
     * Each organization gets at most an equal share of the limit, and its oldest mails come first. The claim of mails
     * starts with the organization that follows `behind`. Mails without an organization count as one organization. The
     * caller passes the last returned mail's organization as the next `behind`.
     */
    readonly claim: (
      at: Instant,
      lease: Instant,
      limit: number,
      behind?: OrganizationId | null
    ) => Effect.Effect<ReadonlyArray<Mail>>
    /** Extends the lease of a claimed mail. Returns false when an outcome was stored or the mail was claimed again. */
    readonly renew: (mail: Mail, lease: Instant) => Effect.Effect<boolean>
    /**
     * Stores the outcome of an attempt. If the mail's ticket is not the latest, `settle` returns false and changes
     * nothing.
     */
    readonly settle: (mail: Mail, outcome: MailAttemptOutcome, at: Instant) => Effect.Effect<boolean>
    /**
     * Makes the waiting mail and its waiting resent copies due at `at`. A claimed mail keeps its due time. If no mail
     * waits, the latest failed mail is queued again and its attempts start from zero. Returns false if neither a
     * waiting nor a failed mail exists. With `unclaimedOnly`, claimed mails are ignored, because a worker may be
     * sending them to an old address.
     */
    readonly retryNow: (
      id: string,
      at: Instant,
      options?: { readonly unclaimedOnly: boolean }
    ) => Effect.Effect<boolean>
    /**
     * Makes mails due earlier if a fast clock set their due times too late. A due time is too late if it exceeds the
     * longest possible delay. Claimed mails get a full lease from now.
     */
    readonly repairDueTimes: (latest: LatestPlausibleDueTimes) => Effect.Effect<void>
    /** Removes an address (case-insensitive) from all mails and cancels queued mails to this address. */
    readonly forget: (address: string) => Effect.Effect<void>
    /** Clears the reasons of an assignment's mails, because the reply of a mail server may quote the address. */
    readonly forgetReasons: (id: ShareId) => Effect.Effect<void>
    /** The next time at which a mail is due; none when no mail is queued. */
    readonly nextDue: Effect.Effect<Option.Option<Instant>>
    /**
     * Queues failed mails a second time, at most `limit`: each becomes due at `at`, and its attempts are reset. Selects
     * mails that failed at `since` or later, but before `before`. Mails with inbox links are excluded, because a
     * creator needs such a link only at the time of the request. Returns the number of requeued mails.
     */
    readonly requeueFailed: (since: Instant, before: Instant, at: Instant, limit: number) => Effect.Effect<number>
    /** Returns the first `limit` assignments with failed mails in this period, and the total number of assignments. */
    readonly undelivered: (
      organizationId: OrganizationId,
      time: { readonly from: Instant; readonly to: Instant },
      limit: number
    ) => Effect.Effect<{ readonly shareIds: ReadonlyArray<ShareId>; readonly total: number }>
    /** Lists failed mails for the operator, newest first. The reason of a mail to an erased creator is empty. */
    readonly failed: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly mail: Mail; readonly reason: string; readonly at: Instant }>>
  }
>()("@partner-commentary/core/mail/MailStore") {}
