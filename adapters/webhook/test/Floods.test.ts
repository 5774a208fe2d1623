/** Tests receivers that send endless data in those parts of an HTTP response that Node reads but does not report. */
import type { Socket } from "node:net"
import { getCACertificates, setDefaultCACertificates, TLSSocket } from "node:tls"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { issueCertificate, makeCertificateAuthority } from "@partner-commentary/test/Certificates"
import * as Effect from "effect/Effect"
import {
  listenHttp,
  listenTcp,
  listenTls,
  makeLocalUrl,
  makeTransport,
  makeWebhookRequest,
  waitForOpenConnections
} from "./Receivers.ts"

const trusted = makeCertificateAuthority("Known Authority")
const host = "receiver.example.com"

const usual = getCACertificates()
beforeAll(() => setDefaultCACertificates([...usual, trusted.cert]))
afterAll(() => setDefaultCACertificates(usual))

/**
 * Sends the response head once, and then repeats the other parts of the response while the client reads, up to 64 MiB.
 */
const flood = (head: string, rest: string) => (socket: Socket) => {
  const block = Buffer.from(rest.repeat(Math.ceil(65_536 / rest.length)))
  let written = 0
  const more = () => {
    while (!socket.destroyed && written < 64 * 1024 * 1024) {
      written += block.length
      if (!socket.write(block)) return
    }
  }
  socket.on("error", () => undefined).on("drain", more)
  socket.once("data", () => {
    socket.write(head)
    more()
  })
}

const floods = [
  ["interim answers", "", "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"],
  ["processing answers", "", "HTTP/1.1 102 Processing\r\n\r\n"],
  ["chunk extensions", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x"],
  ["chunks of one byte", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", `1;${"x".repeat(500)}\r\na\r\n`],
  ["headers", "HTTP/1.1 200 OK\r\n", "X-Header: value\r\n"],
  ["trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-Trailer: value\r\n"]
] as const

describe("Receiver that floods the sender", () => {
  for (const [what, head, rest] of floods) {
    it.live(`a receiver that floods the sender with ${what} fails the attempt after a bounded number of bytes`, () =>
      Effect.gen(function* () {
        const receiver = yield* listenTcp(flood(head, rest))
        const { send } = yield* makeTransport()
        const { failure, reason } = yield* Effect.flip(send(makeWebhookRequest(makeLocalUrl(receiver.port))))
        assert.strictEqual(failure, "http", reason)
        yield* Effect.timeout(waitForOpenConnections(receiver, 0), "10 seconds")
        assert.isBelow(receiver.sent(), 16 * 1024 * 1024)
      })
    )
  }

  it.live("the failure reason for a receiver that floods the sender says that the response was too long", () =>
    Effect.gen(function* () {
      const { port } = yield* listenTcp(flood("", "HTTP/1.1 103 Early Hints\r\n\r\n"))
      const { send } = yield* makeTransport()
      const { reason } = yield* Effect.flip(send(makeWebhookRequest(makeLocalUrl(port))))
      assert.strictEqual(reason, "The receiver sent more than 256 KiB without completing its answer.")
    })
  )

  it.live("a receiver that floods the sender over TLS is cut off", () =>
    Effect.gen(function* () {
      const receiver = yield* listenTls(
        issueCertificate(trusted, { host }),
        flood("", "HTTP/1.1 103 Early Hints\r\n\r\n")
      )
      const { send } = yield* makeTransport({ allowPrivate: true, lookup: () => Effect.succeed(["127.0.0.1"]) })
      const { failure } = yield* Effect.flip(send(makeWebhookRequest(`https://${host}:${receiver.port}/`)))
      assert.strictEqual(failure, "http")
      yield* Effect.timeout(waitForOpenConnections(receiver, 0), "10 seconds")
      assert.isBelow(receiver.sent(), 16 * 1024 * 1024)
    })
  )

  it.live("a receiver cannot renegotiate TLS, because handshakes cost CPU time and bypass the byte limit", () =>
    Effect.gen(function* () {
      let renegotiated = 0
      const receiver = yield* listenTls({ ...issueCertificate(trusted, { host }), maxVersion: "TLSv1.2" }, (socket) => {
        const again = () => {
          if (!(socket instanceof TLSSocket) || socket.destroyed) return
          socket.renegotiate({}, (error) => {
            if (error !== null) return
            renegotiated++
            again()
          })
        }
        socket.on("error", () => undefined).once("data", again)
      })
      const { send } = yield* makeTransport({ allowPrivate: true, lookup: () => Effect.succeed(["127.0.0.1"]) })
      yield* Effect.flip(send(makeWebhookRequest(`https://${host}:${receiver.port}/`, "2 seconds")))
      assert.strictEqual(renegotiated, 0)
    })
  )

  it.live("a kept connection on which the receiver sends data between two responses is closed", () =>
    Effect.gen(function* () {
      const receiver = yield* listenTcp((socket) => {
        const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 20)
        socket.on("close", () => clearInterval(timer))
        socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
      })
      const { send } = yield* makeTransport()
      assert.strictEqual((yield* send(makeWebhookRequest(makeLocalUrl(receiver.port)))).status, 200)
      yield* Effect.timeout(waitForOpenConnections(receiver, 0), "5 seconds")
    })
  )
})

describe("Kept-alive connection", () => {
  it.live("the byte counter of a kept connection starts at zero for each response", () =>
    Effect.gen(function* () {
      const receiver = yield* listenHttp((call, answer) => {
        call.resume().on("end", () => answer.end("x".repeat(60 * 1024)))
      })
      const { send } = yield* makeTransport()
      for (let sent = 0; sent < 10; sent++) {
        assert.strictEqual((yield* send(makeWebhookRequest(makeLocalUrl(receiver.port)))).status, 200)
        yield* Effect.sleep("5 millis")
      }
      assert.strictEqual(receiver.connections(), 1)
    })
  )
})
