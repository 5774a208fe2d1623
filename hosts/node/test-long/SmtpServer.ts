/** A real SMTP server that writes down every mail it is handed, with its Message-ID and the moments of taking and answering it. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import PostalMime from "postal-mime"
import { SMTPServer } from "smtp-server"

export interface Letter {
  readonly messageId: string
  /** The Message-ID's left side: the assignment's id and the occasion, in hyphens. */
  readonly shareId: string
  readonly occasion: string
  readonly to: string
  readonly text: string
  /** The creator's token in the link. */
  readonly token: string
  /** When its transaction began: it was written just before. */
  readonly beganAt: number
  readonly acceptedAt: number
  /** When the 250 went out; null while it has not, and for good when the connection broke before. */
  answeredAt: number | null
}

/** `later` is a 451. Answering may take its time. */
export type Verdict = "accept" | "later"

export interface SmtpServer {
  readonly url: string
  /** What was accepted, in that order. */
  readonly letters: Array<Letter>
  readonly refused: Array<Letter>
  /** Called when a mail is accepted, before it is answered. */
  onAccepted: (letter: Letter) => void
  judge: (letter: Letter) => Verdict
  /** What happens between accepting and answering. */
  linger: (letter: Letter) => Promise<unknown>
  readonly close: () => Promise<void>
}

export const open = async (): Promise<SmtpServer> => {
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
        // A sender that died in the middle has handed over nothing.
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
  // A client that is killed resets its connection: nothing to a server.
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

const read = async (raw: string, to: string, beganAt: number): Promise<Letter> => {
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
