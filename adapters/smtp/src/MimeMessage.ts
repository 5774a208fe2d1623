/**
 * Converts a mail of the core to nodemailer's input, with the same headers for SMTP and for the outbox. The SMTP mailer
 * and the outbox mailer pass the result to nodemailer.
 */
import { type MailMessage, MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { SendMailOptions } from "nodemailer"
import { extractMailDomain, type MailSender } from "./MailAddress.ts"

/** Removes line breaks and other control characters, which a mail header must not contain. */
const line = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim()

const makePermanentRefusal = (reason: string) => Result.fail(new MailRefused({ permanent: true, reason }))

/**
 * Composes a mail for nodemailer. The function fails permanently if the recipient's address is invalid, or if the
 * mail's id does not give a valid Message-ID.
 */
export const composeMimeMessage = (
  sender: MailSender,
  message: MailMessage,
  now: DateTime.DateTime
): Result.Result<SendMailOptions, MailRefused> => {
  if (!/^[\w.-]{1,200}$/.test(message.id)) return makePermanentRefusal("The mail's id makes no Message-ID.")
  if (Option.isNone(extractMailDomain(message.to.address)))
    return makePermanentRefusal("The recipient's address is not possible.")
  return Result.succeed({
    messageId: `<${message.id}@${sender.domain}>`,
    date: DateTime.toDateUtc(now),
    from: { name: line(sender.name), address: sender.address },
    to: { name: line(message.to.name), address: message.to.address },
    subject: line(message.subject),
    text: message.text,
    html: message.html,
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true
  })
}
