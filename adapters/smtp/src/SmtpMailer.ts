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
import * as Semaphore from "effect/Semaphore"
import type { NodemailerError } from "nodemailer"
import { converse } from "./Conversation.ts"
import { compose } from "./Letter.ts"
import { type Server, sender, server } from "./MailSetting.ts"
import * as Pool from "./Pool.ts"

/** Replies about who sends, whatever is sent: the operator can mend them, so the mail waits. */
const authentication = new Set([530, 534, 535, 538])

/** nodemailer's `permanent` is every 5xx but 503, which blames the session. A refusal without any reply is its own. */
const isPermanent = (error: NodemailerError) =>
  (error.code === "EENVELOPE" || error.code === "EMESSAGE") &&
  (error.responseCode === undefined || (error.permanent === true && !authentication.has(error.responseCode)))

/** A server may quote what it was sent, so every form in which credentials go out is covered. */
export const redactor = ({ auth }: Server) => {
  const { user = "", pass = "" } = auth ?? {}
  const forms = [`\0${user}\0${pass}`, pass, user].filter((form) => form.replaceAll("\0", "") !== "")
  const secrets = forms.flatMap((form) => [Buffer.from(form).toString("base64"), encodeURIComponent(form), form])
  return (text: string) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "***"), text)
}

export const defaultConnections = 16

export interface Options {
  /** `smtp://user:password@host:port` or `smtps://…`. */
  readonly url: Redacted.Redacted<string>
  /** `Name <address>`; its domain ends every Message-ID. */
  readonly from: string
  /** Connections at one time; 16 by default. A worker that takes as many mails leaves none waiting for a connection. */
  readonly connections?: number
  /** From the connection to the last byte of the mail; 5 minutes by default. Waiting for a free connection does not count. */
  readonly timeout?: Duration.Input
  /** For the answer to the whole mail, which may hold virus checks; 10 minutes by default, as RFC 5321 (4.5.3.2.6) asks. */
  readonly answerTimeout?: Duration.Input
  /** For that answer where the process is stopping; 5 seconds by default. */
  readonly stopTimeout?: Duration.Input
}

/** Opens no connection before the first mail; closing the scope closes the pool. */
export const layer = ({
  url,
  from,
  connections = defaultConnections,
  timeout = "5 minutes",
  answerTimeout = "10 minutes",
  stopTimeout = "5 seconds"
}: Options) =>
  Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const origin = yield* Effect.fromResult(sender(from))
      const target = yield* Effect.fromResult(server(url))
      const redact = redactor(target)
      const bounds = {
        timeout: Duration.fromInputUnsafe(timeout),
        answerTimeout: Duration.fromInputUnsafe(answerTimeout),
        stopTimeout: Duration.fromInputUnsafe(stopTimeout)
      }
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => Pool.open(target, connections, bounds)),
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
          const letter = yield* Effect.fromResult(compose(origin, message, yield* DateTime.now))
          yield* Effect.acquireUseRelease(
            Effect.interruptible(free.take(1)),
            () => converse(pool, letter, refusal, bounds),
            () => free.release(1)
          )
        })
      }
    })
  )
