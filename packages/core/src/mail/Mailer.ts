/** The port that sends one mail. The core retries and writes the texts. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** One mail to one person. */
export interface MailMessage {
  /**
   * Stable for this mail, without angle brackets or domain: letters, digits, `.`, `-` and `_`. The adapter derives the
   * Message-ID header from it, so that receivers can recognize a repeated mail.
   */
  readonly id: string
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The mail was not accepted. `permanent`: a 5xx reply or an invalid address. */
export class MailRefused extends Schema.TaggedError<MailRefused>()("MailRefused", {
  permanent: Schema.Boolean,
  /** The server's reply for the operator's log, without credentials. */
  reason: Schema.String,
  /** The whole mail was sent without a reply, so it may arrive. */
  unanswered: Schema.optionalKey(Schema.Boolean)
}) {}

export class Mailer extends Context.Service<
  Mailer,
  {
    /**
     * Succeeds once the next server has accepted the mail. The adapter limits the time. The call is uninterruptible, so
     * that the reply to a sent mail is not lost; the adapter marks the parts that a stop may interrupt.
     */
    readonly send: (message: MailMessage) => Effect.Effect<void, MailRefused>
  }
>()("@partner-commentary/core/mail/Mailer") {}
