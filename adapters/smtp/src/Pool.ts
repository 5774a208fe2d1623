/** Extends nodemailer's connection pool by a callback for the moment when all bytes of a mail are sent. */
import type { Readable } from "node:stream"
import * as Duration from "effect/Duration"
import { createTransport, type SendMailOptions } from "nodemailer"
import { bytesOf, streamOf } from "./MailBytes.ts"
import type { MailServerSetting } from "./MailSetting.ts"

export interface PoolLimits {
  readonly timeout: Duration.Duration
  readonly answerTimeout: Duration.Duration
  readonly stopTimeout: Duration.Duration
}

export interface SmtpPool {
  /** Aborting the send closes the connection. `onSent` is called at most once, before the answer to the whole mail. */
  readonly send: (mail: SendMailOptions, signal: AbortSignal, onSent: () => void) => Promise<unknown>
  readonly close: () => void
}

const longestConnect = Duration.minutes(2)
const longestGreeting = Duration.minutes(1)

export const openSmtpPool = (
  server: MailServerSetting,
  connections: number,
  { answerTimeout, timeout }: PoolLimits
): SmtpPool => {
  const half = Duration.divideUnsafe(timeout, 2)
  const transport = createTransport({
    maxRequeues: 2,
    ...server,
    pool: true,
    maxConnections: connections,
    connectionTimeout: Duration.toMillis(Duration.min(half, longestConnect)),
    greetingTimeout: Duration.toMillis(Duration.min(half, longestGreeting)),
    // The timeout of the last reply, which takes longest. `timeout` limits everything before that reply.
    socketTimeout: Duration.toMillis(answerTimeout),
    // This setting overrides the URL's query, because a transcript would contain creators' links.
    logger: false,
    debug: false,
    transactionLog: false
  })
  const listeners = new WeakMap<AbortSignal, () => void>()
  transport.use("stream", ({ data, message }, done) => {
    message.createReadStream = (): Readable => {
      const onSent = data.signal && listeners.get(data.signal)
      const stream = streamOf(bytesOf(message))
      // The last byte was read from the stream. nodemailer then sends the final dot at once.
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
