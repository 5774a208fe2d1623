/**
 * Starts an SMTP server on a free port, or on the given port, until the scope closes. The options of the test decide
 * what the server refuses.
 */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

export interface ReceivedMail {
  readonly raw: string
  readonly recipients: ReadonlyArray<string>
  readonly email: Email
}

/**
 * Makes an error that makes the test server reply with the given code. The library of the test server reads
 * `responseCode` from errors.
 */
export const makeSmtpReplyError = (responseCode: number, text: string) =>
  Object.assign(new Error(text), { responseCode })

export const startMailServer = (options: SMTPServerOptions = {}, wanted = 0) =>
  Effect.gen(function* () {
    const received: Array<ReceivedMail> = []
    let connections = 0
    const open = new Set<string>()
    const server = yield* Effect.acquireRelease(
      Effect.callback<SMTPServer>((resume) => {
        const server = new SMTPServer({
          authOptional: true,
          allowInsecureAuth: true,
          hideSTARTTLS: true,
          disableReverseLookup: true,
          closeTimeout: 100,
          onConnect: (session, done) => {
            connections += 1
            open.add(session.id)
            done()
          },
          onClose: (session) => open.delete(session.id),
          onData: (stream, session, done) => {
            const chunks: Array<Buffer> = []
            stream.on("data", (chunk: Buffer) => chunks.push(chunk))
            stream.on("end", () => {
              const raw = Buffer.concat(chunks)
              PostalMime.parse(raw).then((email) => {
                received.push({
                  raw: raw.toString(),
                  recipients: session.envelope.rcptTo.map((to) => to.address),
                  email
                })
                done()
              }, done)
            })
          },
          ...options
        })
        // The test server ignores the error of a client that times out and resets its connection.
        server.on("error", () => undefined)
        server.listen(wanted, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
    )
    const { port } = server.server.address() as AddressInfo
    return { port, received, connections: () => connections, open }
  })

/** Starts a TCP server that calls `greet` for each connection, and does not implement SMTP. */
export const startTcpServer = (greet: (socket: Socket) => void) =>
  Effect.gen(function* () {
    const open = new Set<Socket>()
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer((socket) => {
          open.add(socket)
          socket.on("error", () => undefined).on("close", () => open.delete(socket))
          greet(socket)
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.close()
          for (const socket of open) socket.destroy()
        })
    )
    return { port: (server.address() as AddressInfo).port, open }
  })

/**
 * Starts a server that accepts any mail up to the final dot. After the final dot, the function `onSent` replies to the
 * mail.
 */
export const startScriptedSmtpServer = (onSent: (socket: Socket) => void) =>
  startTcpServer((socket) => {
    let text = ""
    let isData = false
    socket.write("220 ready\r\n")
    socket.on("data", (chunk) => {
      text += chunk.toString()
      for (;;) {
        const end = text.indexOf(isData ? "\r\n.\r\n" : "\r\n")
        if (end < 0) return
        const command = text.slice(0, end).toUpperCase()
        text = text.slice(end + (isData ? 5 : 2))
        if (isData) onSent(socket)
        else socket.write(command === "DATA" ? "354 go on\r\n" : "250 OK\r\n")
        isData = !isData && command === "DATA"
      }
    })
  })
