/** `partner-commentary/smtp`: mails by an SMTP server. */
import type { Mailer } from "@partner-commentary/core/mail/Mailer"
import * as MailSetting from "@partner-commentary/smtp/MailSetting"
import * as SmtpMailer from "@partner-commentary/smtp/SmtpMailer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { invalidOption } from "../PartnerCommentaryError.ts"

export interface SmtpOptions {
  /** `Name <address>` */
  readonly from: string
  /** Connections at one time; 16 unless given. */
  readonly connections?: number | undefined
}

/** `smtp://user:password@host:587` or `smtps://…`. A wrong address is thrown at once. */
export const smtp = (
  url: string,
  { connections = SmtpMailer.defaultConnections, from }: SmtpOptions
): Layer.Layer<Mailer> => {
  const settings = Result.all([MailSetting.parseMailServer(Redacted.make(url)), MailSetting.parseMailSender(from)])
  Result.getOrThrowWith(settings, ({ reason, setting }) =>
    invalidOption(setting === "from" ? "mail.from" : "mail", reason.replace(/\.$/, ""))
  )
  return Layer.orDie(SmtpMailer.layer({ url: Redacted.make(url), from, connections }))
}
