/** A real SMTP server that stores the mails that it receives. */
import * as Effect from "effect/Effect"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer } from "smtp-server"

export const startSmtpServer = Effect.gen(function* () {
  const received: Array<Email> = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, _session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        void PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          received.push(mail)
          done()
        }, done)
      })
    }
  })
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.addFinalizer(() => Effect.callback<void>((resume) => server.close(() => resume(Effect.void))))
  const address = server.server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `smtp://127.0.0.1:${port}`,
    all: () => received,
    to: (address: string) => received.filter((mail) => mail.to?.some((to) => to.address === address))
  }
})
