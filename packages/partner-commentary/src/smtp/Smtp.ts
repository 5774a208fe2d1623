/** Exports `partner-commentary/smtp`, which sends mails through an SMTP server. */
import type { Mailer } from "@partner-commentary/core/mail/Mailer"
import { makeCountOption } from "@partner-commentary/server/embedding/OptionRules"
import * as MailSetting from "@partner-commentary/smtp/MailSetting"
import * as SmtpMailer from "@partner-commentary/smtp/SmtpMailer"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { makeInvalidOptionError, type PartnerCommentaryError } from "../PartnerCommentaryError.ts"
import { makeSettingsDecoder } from "../SettingsDecoder.ts"

export interface SmtpOptions {
  /** The sender of all mails, in the form `Name <address>`. */
  readonly from: string
  /** The maximum number of concurrent connections to the mail server, by default 16. */
  readonly connections?: number | undefined
}

/**
 * Sends mails through `smtp://user:password@host:587` or `smtps://…`. The function throws an error if the URL or the
 * sender is invalid.
 */
export const smtp = (url: string, options: SmtpOptions): Layer.Layer<Mailer> => {
  const { connections, from } = Result.getOrThrow(decodeOptions(url, options))
  return Layer.orDie(SmtpMailer.layer({ url: Redacted.make(url), from, connections }))
}

const settings = makeSettingsDecoder("mail", { from: Schema.Unknown, connections: makeCountOption(1) })

const decodeOptions = (
  url: unknown,
  options: SmtpOptions
): Result.Result<{ from: string; connections: number }, PartnerCommentaryError> =>
  Result.flatMap(settings({ ...options }), ({ connections = SmtpMailer.defaultConnectionCount, from }) => {
    const given = (value: unknown) => (Predicate.isString(value) ? value : "")
    const parsed = Result.all([
      MailSetting.parseMailServer(Redacted.make(given(url))),
      MailSetting.parseMailSender(given(from))
    ])
    return Result.mapBoth(parsed, {
      onFailure: ({ reason, setting }) =>
        makeInvalidOptionError(setting === "from" ? "mail.from" : "mail", reason.replace(/\.$/, "")),
      onSuccess: () => ({ connections, from })
    })
  })
