/** Starts a real SMTP server that records every mail with the Message-ID and the times of receipt and response. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import PostalMime from "postal-mime"
import { SMTPServer } from "smtp-server"

export interface ReceivedMail {
  readonly messageId: string
  /** The Message-ID contains the share id and the reason for the mail, such as `draft-1`. */
  readonly shareId: string
  readonly occasion: string
  readonly to: string
  readonly text: string
  /** The creator's token in the link of the mail. */
  readonly token: string
  /** The time at which the SMTP transaction began. The service composed the mail just before the SMTP transaction. */
  readonly beganAt: number
  readonly acceptedAt: number
  /**
   * The time at which the mail server sent the 250 response; null before the response, and if the connection broke
   * first.
   */
  answeredAt: number | null
}

/** `later` makes the server respond with status 451, which asks the sender to retry. */
export type SmtpReply = "accept" | "later"

export interface SmtpServer {
  readonly url: string
  /** The accepted mails, in the order of acceptance. */
  readonly letters: Array<ReceivedMail>
  readonly refused: Array<ReceivedMail>
  /** The server calls this function when it accepts a mail, before it sends the response. */
  onAccepted: (letter: ReceivedMail) => void
  judge: (letter: ReceivedMail) => SmtpReply
  /** Delays the response to an accepted mail until the returned promise resolves. */
  linger: (letter: ReceivedMail) => Promise<unknown>
  readonly close: () => Promise<void>
}

export const openSmtpServer = async (): Promise<SmtpServer> => {
  const sessions = new Set<string>()
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect: ({ id }, done) => {
      sessions.add(id)
      done()
    },
    onClose: ({ id }) => sessions.delete(id),
    onData: (stream, session, done) => {
      const take = async () => {
        const beganAt = Date.now()
        const letter = await read(await text(stream), session.envelope.rcptTo[0]?.address ?? "", beganAt)
        // If a client is killed during the SMTP transaction, the client's mail does not count as handed over.
        if (!sessions.has(session.id)) return
        if (office.judge(letter) === "later") {
          office.refused.push(letter)
          return done(Object.assign(new Error("Try again later"), { responseCode: 451 }))
        }
        office.letters.push(letter)
        office.onAccepted(letter)
        await office.linger(letter)
        if (!sessions.has(session.id)) return
        letter.answeredAt = Date.now()
        done()
      }
      take().catch(done)
    }
  })
  // A killed client resets its connection, which is not an error of the test server.
  server.on("error", () => undefined)
  server.listen(0, "127.0.0.1")
  await once(server.server, "listening")
  const { port } = server.server.address() as AddressInfo
  const office: SmtpServer = {
    url: `smtp://127.0.0.1:${port}`,
    letters: [],
    refused: [],
    onAccepted: () => {},
    judge: () => "accept",
    linger: async () => {},
    close: () => new Promise((resolve) => server.close(resolve))
  }
  return office
}

const read = async (raw: string, to: string, beganAt: number): Promise<ReceivedMail> => {
  const mail = await PostalMime.parse(raw)
  const body = mail.text ?? ""
  const [, shareId = "", occasion = ""] = /^<([0-9a-f-]{36})\.([\w-]+)@/.exec(mail.messageId ?? "") ?? []
  return {
    messageId: mail.messageId ?? "",
    shareId,
    occasion: occasion.replaceAll("_", "-"),
    to,
    text: body,
    token: /\/creator\/([\w-]+\.[\w-]+)/.exec(body)?.[1] ?? "",
    beganAt,
    acceptedAt: Date.now(),
    answeredAt: null
  }
}
