/** Extends nodemailer's connection pool with a callback that runs when all bytes of a mail are sent. */
import type { Readable } from "node:stream"
import * as Duration from "effect/Duration"
import { createTransport, type SendMailOptions } from "nodemailer"
import { bytesToStream, renderMailBytes } from "./MailBytes.ts"
import type { MailServerSetting } from "./MailSetting.ts"

export interface SmtpTimeouts {
  readonly timeout: Duration.Duration
  readonly answerTimeout: Duration.Duration
  readonly stopTimeout: Duration.Duration
}

export interface SmtpPool {
  /**
   * Sends a mail. Aborting `signal` closes the connection. `onSent` is called at most once, before the server's reply
   * to the complete mail.
   */
  readonly send: (mail: SendMailOptions, signal: AbortSignal, onSent: () => void) => Promise<unknown>
  readonly close: () => void
}

const longestConnect = Duration.minutes(2)
const longestGreeting = Duration.minutes(1)

export const openSmtpPool = (
  server: MailServerSetting,
  connections: number,
  { answerTimeout, timeout }: SmtpTimeouts
): SmtpPool => {
  const half = Duration.divideUnsafe(timeout, 2)
  const transport = createTransport({
    maxRequeues: 2,
    ...server,
    pool: true,
    maxConnections: connections,
    connectionTimeout: Duration.toMillis(Duration.min(half, longestConnect)),
    greetingTimeout: Duration.toMillis(Duration.min(half, longestGreeting)),
    // nodemailer's timeout for every wait on the socket. The timeout must be long enough for the server's last reply,
    // because this reply takes the longest time. `sendMail` uses `timeout` to limit the steps before the last reply.
    socketTimeout: Duration.toMillis(answerTimeout),
    // The URL's parameters cannot enable logging, because a log of the SMTP session would contain creators' links.
    logger: false,
    debug: false,
    transactionLog: false
  })
  const listeners = new WeakMap<AbortSignal, () => void>()
  transport.use("stream", ({ data, message }, done) => {
    message.createReadStream = (): Readable => {
      const onSent = data.signal && listeners.get(data.signal)
      const stream = bytesToStream(renderMailBytes(message))
      // The stream ends when nodemailer has read the last byte. nodemailer then immediately sends the final dot of the
      // SMTP transfer.
      return onSent ? stream.once("end", onSent) : stream
    }
    done()
  })
  return {
    send: (mail, signal, onSent) => {
      listeners.set(signal, onSent)
      return transport.sendMail({ ...mail, signal })
    },
    close: () => transport.close()
  }
}
