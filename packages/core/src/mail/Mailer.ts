/** The port that sends one mail. The core of the service composes the mails and retries failed attempts. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** One mail to one recipient. */
export interface MailMessage {
  /**
   * The id is the same for each attempt at this mail. The id contains only letters, digits, `.`, `-` and `_`. The
   * adapter derives the Message-ID header from the id, so that receivers can recognize a repeated mail.
   */
  readonly id: string
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The mail server did not accept the mail. `permanent` is true for a 5xx reply or an invalid address. */
export class MailRefused extends Schema.TaggedError<MailRefused>()("MailRefused", {
  permanent: Schema.Boolean,
  /** The mail server's reply for the operator, without credentials and without the recipient's address. */
  reason: Schema.String,
  /** True if the whole mail was sent but the server did not reply. The mail may still arrive. */
  unanswered: Schema.optionalKey(Schema.Boolean),
  /** True if a stop of the process, and not the server, ended the wait for the reply to the whole mail. */
  stopped: Schema.optionalKey(Schema.Boolean)
}) {}

export class Mailer extends Context.Service<
  Mailer,
  {
    /**
     * Sends the mail. The call succeeds when the next mail server has accepted the mail. The adapter limits the time of
     * the call. The core calls `send` uninterruptibly, so that the reply to a sent mail is not lost. A shutdown
     * interrupts only the steps of a call that the adapter marks as interruptible.
     */
    readonly send: (message: MailMessage) => Effect.Effect<void, MailRefused>
  }
>()("@partner-commentary/core/mail/Mailer") {}
