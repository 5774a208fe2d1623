/** `partner-commentary/smtp`: sends mails through an SMTP server. */
import type { Mailer } from "@partner-commentary/core/mail/Mailer"
import * as MailSetting from "@partner-commentary/smtp/MailSetting"
import * as SmtpMailer from "@partner-commentary/smtp/SmtpMailer"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { invalidOption, type PartnerCommentaryError } from "../PartnerCommentaryError.ts"

export interface SmtpOptions {
  /** `Name <address>` */
  readonly from: string
  /** The maximum number of concurrent connections, by default 16. */
  readonly connections?: number | undefined
}

/** `smtp://user:password@host:587` or `smtps://…`. An invalid address throws an error at once. */
export const smtp = (url: string, options: SmtpOptions): Layer.Layer<Mailer> => {
  const { connections, from } = Result.getOrThrow(decoded(url, options))
  return Layer.orDie(SmtpMailer.layer({ url: Redacted.make(url), from, connections }))
}

const decoded = (
  url: unknown,
  options: unknown
): Result.Result<{ from: string; connections: number }, PartnerCommentaryError> => {
  const { connections = SmtpMailer.defaultConnections, from } = { ...(Predicate.isObject(options) ? options : {}) } as {
    readonly connections?: unknown
    readonly from?: unknown
  }
  if (!Schema.is(count)(connections)) return Result.fail(invalidOption("mail.connections", "must be a whole number"))
  const given = (value: unknown) => (Predicate.isString(value) ? value : "")
  const settings = Result.all([
    MailSetting.parseMailServer(Redacted.make(given(url))),
    MailSetting.parseMailSender(given(from))
  ])
  return Result.mapBoth(settings, {
    onFailure: ({ reason, setting }) =>
      invalidOption(setting === "from" ? "mail.from" : "mail", reason.replace(/\.$/, "")),
    onSuccess: () => ({ connections, from: given(from) })
  })
}

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
