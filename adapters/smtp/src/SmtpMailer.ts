/**
 * Sends mails with an SMTP server. If the server offers TLS, the mailer uses TLS and requires a valid certificate. The
 * parameter `?requireTLS=true` in the URL requires TLS in any case. The core retries failed mails.
 */
import { Mailer, MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { NodemailerError } from "nodemailer"
import { extractMailDomain } from "./MailAddress.ts"
import { type MailServerSetting, parseMailSender, parseMailServer } from "./MailSetting.ts"
import { composeMimeMessage } from "./MimeMessage.ts"
import { sendMail } from "./SmtpSession.ts"

/**
 * SMTP reply codes that concern authentication and not the mail. A failed authentication is a temporary failure of the
 * mail, because the operator can correct the credentials.
 */
const authentication = new Set([530, 534, 535, 538])

/**
 * Returns whether a failure is permanent. nodemailer treats every 5xx reply as permanent except 503, which concerns the
 * session. If nodemailer itself refuses the mail, without a reply of the server, the failure is permanent.
 */
const isPermanent = (error: NodemailerError) =>
  (error.code === "EENVELOPE" || error.code === "EMESSAGE") &&
  (error.responseCode === undefined || (error.permanent === true && !authentication.has(error.responseCode)))

/**
 * Makes a function that removes the credentials from a text, because the reply of a server may quote credentials. The
 * function finds credentials in every encoding in which the client sends them.
 */
export const makeRedactor = ({ auth }: MailServerSetting) => {
  const { user = "", pass = "" } = auth ?? {}
  const forms = [`\0${user}\0${pass}`, pass, user].filter((form) => form.replaceAll("\0", "") !== "")
  const secrets = forms.flatMap((form) => [Buffer.from(form).toString("base64"), encodeURIComponent(form), form])
  return (text: string) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "***"), text)
}

/**
 * Replaces the recipient's address in a text, because an erasure of the creator must not leave the address in a stored
 * reply. A server may quote the address in another case, or with the ASCII form of the domain.
 */
const hideAddress = (text: string, address: string): string => {
  const ascii = Option.map(
    extractMailDomain(address),
    (domain) => `${address.slice(0, address.lastIndexOf("@"))}@${domain}`
  )
  return [address, ...Option.toArray(ascii)].reduce(
    (clean, form) => clean.replace(new RegExp(form.replace(/[\^$.*+?(){}|/[\]]/g, "\\$&"), "giu"), "[recipient]"),
    text
  )
}

export const defaultConnectionCount = 16

export interface SmtpMailerOptions {
  /** The URL of the server, such as `smtp://user:password@host:port` or `smtps://…`. */
  readonly url: Redacted.Redacted<string>
  /** The sender in the form `Name <address>`. Every Message-ID ends with the domain of the sender's address. */
  readonly from: string
  /**
   * The number of concurrent connections, with a default of 16. A worker claims only as many mails as there are
   * connections, so that no claimed mail waits for a connection.
   */
  readonly connections?: number
  /**
   * The time limit from the start of the connection to the last byte of the mail, with a default of 5 minutes. The time
   * limit does not include the wait for a free connection.
   */
  readonly timeout?: Duration.Input
  /**
   * The time limit of the reply that follows the complete mail. The server may scan the mail before the server replies.
   * The default of 10 minutes follows RFC 5321 (4.5.3.2.6).
   */
  readonly answerTimeout?: Duration.Input
  /** How long a stopping process waits for the reply to a complete mail, with a default of 5 seconds. */
  readonly stopTimeout?: Duration.Input
}

/**
 * Provides the mailer. The layer opens no connection before the first mail, and closes the pool when the scope closes.
 */
export const layer = ({
  url,
  from,
  connections = defaultConnectionCount,
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
      const scope = yield* Effect.scope
      // The first mail loads nodemailer, so that a start does not wait for nodemailer.
      const opened = yield* Effect.promise(() => import("./Pool.ts")).pipe(
        Effect.flatMap(({ openSmtpPool }) =>
          Effect.acquireRelease(
            Effect.sync(() => openSmtpPool(target, connections, bounds)),
            (pool) => Effect.sync(() => pool.close())
          )
        ),
        Scope.provide(scope),
        Effect.cached
      )
      const free = yield* Semaphore.make(connections)
      const refusalTo = (address: string) => (cause: unknown, isWhole: boolean) => {
        const error = cause as NodemailerError
        const reason = hideAddress(redact(error.message), address)
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
            () => Effect.flatMap(opened, (pool) => sendMail(pool, mail, refusalTo(message.to.address), bounds)),
            () => free.release(1)
          )
        })
      }
    })
  )
