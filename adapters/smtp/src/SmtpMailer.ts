/**
 * The Mailer on any SMTP server. TLS is used where the server offers it, and then its certificate must be good;
 * `?requireTLS=true` in the URL insists on it. Trying again is the core's.
 */
import { Mailer, MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { createTransport, type NodemailerError } from "nodemailer"
import { compose } from "./Letter.ts"
import { type Server, sender, server } from "./MailSetting.ts"

/** Replies about who sends, whatever is sent: the operator can mend them, so the mail waits. */
const authentication = new Set([530, 534, 535, 538])

/** nodemailer's `permanent` is every 5xx but 503, which blames the session. A refusal without any reply is its own. */
const isPermanent = (error: NodemailerError) =>
  (error.code === "EENVELOPE" || error.code === "EMESSAGE") &&
  (error.responseCode === undefined || (error.permanent === true && !authentication.has(error.responseCode)))

/** A server may quote what it was sent, so every form in which credentials go out is covered. */
const redactor = ({ auth }: Server) => {
  const { user = "", pass = "" } = auth ?? {}
  const forms = [`\0${user}\0${pass}`, pass, user].filter((form) => form.replaceAll("\0", "") !== "")
  const secrets = forms.flatMap((form) => [Buffer.from(form).toString("base64"), encodeURIComponent(form), form])
  return (text: string) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "***"), text)
}

const pool = (server: Server, timeout: number) =>
  createTransport({
    maxConnections: 3,
    maxRequeues: 2,
    ...server,
    pool: true,
    connectionTimeout: timeout / 2,
    greetingTimeout: timeout / 2,
    socketTimeout: timeout,
    // Whatever the URL's query says: a transcript would show creators' links.
    logger: false,
    debug: false,
    transactionLog: false
  })

export interface Options {
  /** `smtp://user:password@host:port` or `smtps://…`. */
  readonly url: Redacted.Redacted<string>
  /** `Name <address>`; its domain ends every Message-ID. */
  readonly from: string
  /** Bounds one `send`, waiting for a free connection included. */
  readonly timeout?: Duration.Input
}

/** Opens no connection before the first mail; closing the scope closes the pool. */
export const layer = ({ url, from, timeout = "30 seconds" }: Options) =>
  Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const origin = yield* Effect.fromResult(sender(from))
      const target = yield* Effect.fromResult(server(url))
      const redact = redactor(target)
      const bound = Duration.fromInputUnsafe(timeout)
      const transport = yield* Effect.acquireRelease(
        Effect.sync(() => pool(target, Duration.toMillis(bound))),
        (transport) => Effect.sync(() => transport.close())
      )
      const refusal = (cause: unknown) => {
        const error = cause as NodemailerError
        const reason = redact(error.message)
          .replace(/[\p{Cc}\s]+/gu, " ")
          .slice(0, 500)
        return new MailRefused({ permanent: isPermanent(error), reason })
      }
      const late = Effect.suspend(() =>
        Effect.fail(
          new MailRefused({
            permanent: false,
            reason: `No answer from the mail server within ${Duration.format(bound)}.`
          })
        )
      )
      return {
        send: Effect.fn("SmtpMailer.send")(function* (message) {
          const letter = yield* Effect.fromResult(compose(origin, message, yield* DateTime.now))
          yield* Effect.tryPromise({
            try: (signal) => transport.sendMail({ ...letter, signal }),
            catch: refusal
          }).pipe(Effect.timeoutOrElse({ duration: bound, orElse: () => late }))
        })
      }
    })
  )
