/** The port that hands one mail to the world. Retrying, and what a mail says, are the core's. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** One mail to one person. */
export interface MailMessage {
  /**
   * Stable for this mail, without angle brackets or domain: letters, digits, `.`, `-` and `_`.
   * The adapter makes the Message-ID header of it, the same on every attempt, so that an unavoidable repeat collapses.
   */
  readonly id: string
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The receiving side did not take the mail: for good (`permanent`, a 5xx or an impossible address), or for now. */
export class MailRefused extends Schema.TaggedError<MailRefused>()("MailRefused", {
  permanent: Schema.Boolean,
  /** For the operator's log: the server's words, without credentials. */
  reason: Schema.String,
  /** The whole mail went out and no answer came: it may arrive. */
  unanswered: Schema.optionalKey(Schema.Boolean)
}) {}

export class Mailer extends Context.Service<
  Mailer,
  {
    /**
     * Succeeds once the next server has taken responsibility. Bounded in time by the adapter. It is called uninterruptibly, so
     * that the answer to a mail that went out is never lost: the adapter marks interruptible what a stop may break off.
     */
    readonly send: (message: MailMessage) => Effect.Effect<void, MailRefused>
  }
>()("@partner-commentary/core/mail/Mailer") {}
