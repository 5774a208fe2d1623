/** The port that sends one mail. The core writes the texts and controls the retries. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** One mail to one recipient. */
export interface MailMessage {
  /**
   * The mail's id, which is the same for each attempt and contains only letters, digits, `.`, `-` and `_`. The adapter
   * derives the Message-ID header from this id, so that receivers can recognize a repeated mail.
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
  /** The server's reply for the operator's log. The reply contains no credentials. */
  reason: Schema.String,
  /** True if the complete mail was sent without a reply. The mail may still arrive. */
  unanswered: Schema.optionalKey(Schema.Boolean)
}) {}

export class Mailer extends Context.Service<
  Mailer,
  {
    /**
     * Succeeds when the next mail server has accepted the mail. The adapter limits the duration of the call. The call
     * is uninterruptible, so that the reply to a sent mail is not lost. The adapter marks the steps that a shutdown may
     * interrupt.
     */
    readonly send: (message: MailMessage) => Effect.Effect<void, MailRefused>
  }
>()("@partner-commentary/core/mail/Mailer") {}
