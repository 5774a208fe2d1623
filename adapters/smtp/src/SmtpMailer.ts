/**
 * Implements Mailer with an SMTP server. The mailer uses TLS if the server offers it, and then requires a valid
 * certificate. `?requireTLS=true` in the URL requires TLS. The core makes the retries.
 */
import { Mailer, MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import type { NodemailerError } from "nodemailer"
import { type MailServerSetting, parseMailSender, parseMailServer } from "./MailSetting.ts"
import { composeMimeMessage } from "./MimeMessage.ts"
import * as Pool from "./Pool.ts"
import { sendMail } from "./SmtpSession.ts"

/**
 * SMTP reply codes that concern the sender or its credentials, not the mail. The failure is temporary, because the
 * operator can fix the cause.
 */
const authentication = new Set([530, 534, 535, 538])

/**
 * nodemailer treats every 5xx as permanent except 503, which concerns the session. A refusal without a reply comes from
 * nodemailer.
 */
const isPermanent = (error: NodemailerError) =>
  (error.code === "EENVELOPE" || error.code === "EMESSAGE") &&
  (error.responseCode === undefined || (error.permanent === true && !authentication.has(error.responseCode)))

/** Replaces credentials in every encoding in which the client sends them, because a server's reply may quote them. */
export const makeRedactor = ({ auth }: MailServerSetting) => {
  const { user = "", pass = "" } = auth ?? {}
  const forms = [`\0${user}\0${pass}`, pass, user].filter((form) => form.replaceAll("\0", "") !== "")
  const secrets = forms.flatMap((form) => [Buffer.from(form).toString("base64"), encodeURIComponent(form), form])
  return (text: string) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "***"), text)
}

export const defaultConnections = 16

export interface SmtpMailerOptions {
  /** The URL, such as `smtp://user:password@host:port` or `smtps://…`. */
  readonly url: Redacted.Redacted<string>
  /** The sender as `Name <address>`. Every Message-ID ends with its domain. */
  readonly from: string
  /**
   * The number of concurrent connections, 16 by default. A worker claims as many mails as there are connections, so
   * that no mail waits for one.
   */
  readonly connections?: number
  /**
   * The time limit from connecting to the last byte of the mail, 5 minutes by default. The wait for a free connection
   * does not count.
   */
  readonly timeout?: Duration.Input
  /**
   * The time limit of the reply to the mail, during which the server may scan it: 10 minutes by default, as in RFC 5321
   * (4.5.3.2.6).
   */
  readonly answerTimeout?: Duration.Input
  /** The time limit of that reply while the process stops, 5 seconds by default. */
  readonly stopTimeout?: Duration.Input
}

/** The layer opens no connection before the first mail. Closing the scope closes the pool. */
export const layer = ({
  url,
  from,
  connections = defaultConnections,
  timeout = "5 minutes",
  answerTimeout = "10 minutes",
  stopTimeout = "5 seconds"
}: SmtpMailerOptions) =>
  Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const origin = yield* Effect.fromResult(parseMailSender(from))
      const target = yield* Effect.fromResult(parseMailServer(url))
      const redact = makeRedactor(target)
      const bounds = {
        timeout: Duration.fromInputUnsafe(timeout),
        answerTimeout: Duration.fromInputUnsafe(answerTimeout),
        stopTimeout: Duration.fromInputUnsafe(stopTimeout)
      }
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => Pool.openSmtpPool(target, connections, bounds)),
        (pool) => Effect.sync(() => pool.close())
      )
      const free = yield* Semaphore.make(connections)
      const refusal = (cause: unknown, isWhole: boolean) => {
        const error = cause as NodemailerError
        const reason = redact(error.message)
          .replace(/[\p{Cc}\s]+/gu, " ")
          .slice(0, 500)
        const unanswered = isWhole && error.responseCode === undefined
        return new MailRefused({ permanent: isPermanent(error), reason, ...(unanswered ? { unanswered } : {}) })
      }
      return {
        send: Effect.fn("SmtpMailer.send")(function* (message) {
          const mail = yield* Effect.fromResult(composeMimeMessage(origin, message, yield* DateTime.now))
          yield* Effect.acquireUseRelease(
            Effect.interruptible(free.take(1)),
            () => sendMail(pool, mail, refusal, bounds),
            () => free.release(1)
          )
        })
      }
    })
  )
