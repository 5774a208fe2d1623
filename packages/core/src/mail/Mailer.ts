/** The port that sends one mail. The core writes the texts and retries. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** One mail to one person. */
export interface MailMessage {
  /**
   * The id is stable for this mail and has no angle brackets or domain: only letters, digits, `.`, `-` and `_`. The
   * adapter derives the Message-ID header from it, so that receivers can recognize a repeated mail.
   */
  readonly id: string
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The mail server did not accept the mail. `permanent`: the server gave a 5xx reply, or the address is invalid. */
export class MailRefused extends Schema.TaggedError<MailRefused>()("MailRefused", {
  permanent: Schema.Boolean,
  /** The server's reply for the operator's log, without credentials. */
  reason: Schema.String,
  /** The whole mail was sent without a reply, so it may still arrive. */
  unanswered: Schema.optionalKey(Schema.Boolean)
}) {}

export class Mailer extends Context.Service<
  Mailer,
  {
    /**
     * Succeeds once the next server has accepted the mail. The adapter limits the time of the call. The call is
     * uninterruptible, so that the reply to a sent mail is not lost. The adapter marks the steps that a shutdown may
     * interrupt.
     */
    readonly send: (message: MailMessage) => Effect.Effect<void, MailRefused>
  }
>()("@partner-commentary/core/mail/Mailer") {}
