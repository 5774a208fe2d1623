/** nodemailer's pool of connections. It also tells when a mail went out whole, which nodemailer tells nobody. */
import type { Readable } from "node:stream"
import * as Duration from "effect/Duration"
import { createTransport, type SendMailOptions } from "nodemailer"
import type { Server } from "./MailSetting.ts"

export interface Bounds {
  readonly timeout: Duration.Duration
  readonly answerTimeout: Duration.Duration
  readonly stopTimeout: Duration.Duration
}

export interface Pool {
  /** Aborting closes the connection. `onWhole` is called before the answer to the whole mail, if at all. */
  readonly send: (letter: SendMailOptions, signal: AbortSignal, onWhole: () => void) => Promise<unknown>
  readonly close: () => void
}

const longestConnect = Duration.minutes(2)
const longestGreeting = Duration.minutes(1)

export const open = (server: Server, connections: number, { answerTimeout, timeout }: Bounds): Pool => {
  const half = Duration.divideUnsafe(timeout, 2)
  const transport = createTransport({
    maxRequeues: 2,
    ...server,
    pool: true,
    maxConnections: connections,
    connectionTimeout: Duration.toMillis(Duration.min(half, longestConnect)),
    greetingTimeout: Duration.toMillis(Duration.min(half, longestGreeting)),
    // The longest of all replies; what comes before the last one is bounded together.
    socketTimeout: Duration.toMillis(answerTimeout),
    // Whatever the URL's query says: a transcript would show creators' links.
    logger: false,
    debug: false,
    transactionLog: false
  })
  const listeners = new WeakMap<AbortSignal, () => void>()
  transport.use("stream", ({ data, message }, done) => {
    const create = message.createReadStream.bind(message)
    message.createReadStream = (options): Readable => {
      const onWhole = data.signal && listeners.get(data.signal)
      const stream = create(options)
      // The last byte was read: the final dot follows it at once.
      return onWhole ? stream.once("end", onWhole) : stream
    }
    done()
  })
  return {
    send: (letter, signal, onWhole) => {
      listeners.set(signal, onWhole)
      return transport.sendMail({ ...letter, signal })
    },
    close: () => transport.close()
  }
}
