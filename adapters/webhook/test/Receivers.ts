/**
 * Starts loopback servers whose responses the test decides, and builds the webhook transport for tests. The servers
 * close when the scope closes.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import * as Tls from "node:tls"
import { WebhookTransport } from "@partner-commentary/core/webhook/WebhookTransport"
import { layer, type WebhookTransportOptions } from "@partner-commentary/webhook/NodeWebhookTransport"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface ListeningReceiver {
  readonly port: number
  /** The number of connections that the server has accepted so far. */
  readonly connections: () => number
  /** The number of connections that are open at the moment. */
  readonly open: ReadonlySet<Net.Socket>
  /** The number of bytes that the kernel has accepted from all connections. */
  readonly sent: () => number
}

const listening = <S extends Net.Server>(make: () => S, wanted = 0) =>
  Effect.gen(function* () {
    const open = new Set<Net.Socket>()
    let connections = 0
    let sent = 0
    const server = yield* Effect.acquireRelease(
      Effect.callback<S>((resume) => {
        const server = make()
        server.on("connection", (socket: Net.Socket) => {
          connections += 1
          open.add(socket)
          // The server ignores the error of a client that times out and resets its connection.
          socket
            .on("error", () => undefined)
            .on("close", () => {
              sent += socket.bytesWritten
              open.delete(socket)
            })
        })
        server.listen(wanted, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of open) socket.destroy()
        })
    )
    const { port } = server.address() as Net.AddressInfo
    return { port, connections: () => connections, open, sent: () => sent } satisfies ListeningReceiver
  })

/** Starts an HTTP server that never closes idle connections itself. */
export const listenHttp = (answer: Http.RequestListener, wanted?: number) =>
  listening(() => Http.createServer({ keepAliveTimeout: 0 }, answer), wanted)

export const listenHttps = (options: Https.ServerOptions, answer: Http.RequestListener) =>
  listening(() => Https.createServer(options, answer).on("tlsClientError", () => undefined))

/** Starts a TCP server on loopback. The function `speak` handles each connection. */
export const listenTcp = (speak: (socket: Net.Socket) => void) =>
  listening(() => Net.createServer((socket) => speak(socket.resume())))

export const listenTls = (options: Tls.TlsOptions, speak: (socket: Net.Socket) => void) =>
  listening(() => Tls.createServer(options, (socket) => speak(socket.resume())).on("tlsClientError", () => undefined))

/** Starts a server that sends the given text when it has received data, and then closes the connection. */
export const listenWithAnswer = (text: string | Uint8Array) =>
  listenTcp((socket) => socket.once("data", () => socket.end(text)))

const chunk = new Uint8Array(64 * 1024).fill(120)

/** Writes to the socket while the client reads. */
export const writeEndlessly = (socket: Net.Socket) => {
  socket.write("HTTP/1.1 200 OK\r\n\r\n")
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on("drain", more)
  more()
}

/**
 * Waits until a receiver has `size` open connections, because the client knows about a new or closed connection before
 * the server.
 */
export const waitForOpenConnections = ({ open }: Pick<ListeningReceiver, "open">, size: number) =>
  Effect.sleep("5 millis").pipe(Effect.repeat({ until: () => open.size === size }))

/** Returns a port on which no server listens. */
export const findUnusedPort = Effect.scoped(
  Effect.map(
    listenHttp(() => undefined),
    ({ port }) => port
  )
)

export const makeWebhookRequest = (url: string, timeout: Duration.Input = "10 seconds") => ({
  url,
  headers: { "content-type": "application/json" },
  body: '{"type":"creator.approved"}',
  timeout: Duration.fromInputUnsafe(timeout)
})

/** Provides the webhook transport until the scope closes. */
export const makeTransport = (options: WebhookTransportOptions = { allowPrivate: true }) =>
  Effect.map(Layer.build(layer(options)), (context) => Context.get(context, WebhookTransport))

export const makeLocalUrl = (port: number, path = "/") => `http://127.0.0.1:${port}${path}`
