import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import {
  findUnusedPort,
  listenHttp,
  listenTcp,
  listenWithAnswer,
  makeLocalUrl,
  makeTransport,
  makeWebhookRequest,
  waitForOpenConnections,
  writeEndlessly
} from "./Receivers.ts"

const failureAt = (port: number, timeout?: Duration.Input) =>
  Effect.flatMap(makeTransport(), ({ send }) => Effect.flip(send(makeWebhookRequest(makeLocalUrl(port), timeout))))

const reset = (socket: Socket) => socket.resetAndDestroy()

describe("Receiver that misbehaves", () => {
  it.live("a request to a port on which no server listens is reported as refused", () =>
    Effect.gen(function* () {
      const port = yield* findUnusedPort
      const lookup = () => Effect.succeed(["127.0.0.1", "127.0.0.2", "::1"])
      const several = yield* makeTransport({ allowPrivate: true, lookup })
      assert.strictEqual(
        (yield* Effect.flip(several.send(makeWebhookRequest(`http://gone:${port}/`)))).failure,
        "refused"
      )
      assert.deepInclude(yield* failureAt(port), {
        failure: "refused",
        reason: "The receiver refuses connections."
      })
    })
  )

  it.live("a receiver that closes the connection before its response is complete is reported as reset", () =>
    Effect.gen(function* () {
      for (const speak of [
        (socket: Socket) => reset(socket),
        (socket: Socket) => socket.once("data", () => reset(socket)),
        (socket: Socket) => socket.once("data", () => socket.end()),
        (socket: Socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Le")),
        (socket: Socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")),
        (socket: Socket) =>
          socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"))
      ]) {
        const { port } = yield* listenTcp(speak)
        const { failure, reason } = yield* failureAt(port)
        assert.strictEqual(failure, "reset", reason)
        assert.match(reason, /closed the connection/)
      }
    })
  )

  it.live("a receiver that hangs, or sends its response byte by byte, is cut off at the deadline", () =>
    Effect.gen(function* () {
      const drip = (head: string, drop: string) => (socket: Socket) => {
        socket.write(head)
        const timer = setInterval(() => socket.write(drop), 20)
        socket.on("close", () => clearInterval(timer))
      }
      const speaking = [
        () => undefined,
        (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\n"),
        (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
        drip("HTTP/1.1 200 OK\r\n", "X-Drip: 1\r\n"),
        drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "x"),
        drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
        drip("", "HTTP/1.1 102 Processing\r\n\r\n")
      ]
      const cutOff = Effect.fnUntraced(function* (speak: (socket: Socket) => void) {
        const receiver = yield* listenTcp(speak)
        const [took, { failure, reason }] = yield* Effect.timed(failureAt(receiver.port, "300 millis"))
        assert.strictEqual(failure, "timeout", reason)
        assert.match(reason, /within 300ms\./)
        assert.isBelow(Duration.toMillis(took), 1000)
        yield* Effect.timeout(waitForOpenConnections(receiver, 0), "10 seconds")
      })
      yield* Effect.forEach(speaking, cutOff, { concurrency: "unbounded" })
    })
  )

  it.live("a request fails at the deadline if the name server of the receiver never responds", () =>
    Effect.gen(function* () {
      const { send } = yield* makeTransport({ allowPrivate: true, lookup: () => Effect.never })
      const { failure } = yield* Effect.flip(send(makeWebhookRequest("http://slow.example.com/", "100 millis")))
      assert.strictEqual(failure, "timeout")
    })
  )

  it.live("a receiver that does not speak HTTP is reported with an HTTP failure", () =>
    Effect.gen(function* () {
      for (const text of [
        "220 mail.example.com ESMTP\r\n",
        "SSH-2.0-OpenSSH_9.9\r\n",
        "\0\x01\x02\x03",
        "<html>hello</html>",
        "HTTP/1.1 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nNo Colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot hex\r\n",
        `HTTP/1.1 200 OK\r\n${"X-Large: ".padEnd(20_000, "x")}\r\n\r\n`
      ]) {
        const { port } = yield* listenWithAnswer(text)
        const { failure, reason } = yield* failureAt(port)
        assert.strictEqual(failure, "http", `${text.slice(0, 40)}: ${reason}`)
      }
    })
  )

  it.live("a response with an unreadable or empty body is a result and not a failure", () =>
    Effect.gen(function* () {
      const { send } = yield* makeTransport()
      for (const [text, status, excerpt] of [
        ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\0\x01{[", 200, "\ufffd\x01{["],
        ["HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, "until the end"],
        ["HTTP/1.1 204 No Content\r\n\r\n", 204, ""],
        ["HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n", 299, ""],
        ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok", 201, "ok"],
        ["HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\nmore", 101, ""]
      ] as const) {
        const { port } = yield* listenWithAnswer(text)
        assert.deepEqual(yield* send(makeWebhookRequest(makeLocalUrl(port))), { status, retryAfter: null, excerpt })
      }
      const broken = yield* listenWithAnswer(
        Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na\xff\xfe", "latin1")
      )
      assert.strictEqual((yield* send(makeWebhookRequest(makeLocalUrl(broken.port)))).excerpt, "a\ufffd\ufffd")
    })
  )

  it.live(
    "the transport reads only 64 KiB of a 64 MiB response, and the response's status is the result of the request",
    () =>
      Effect.gen(function* () {
        let written = 0
        const receiver = yield* listenHttp((call, answer) => {
          call.resume()
          answer.writeHead(200, { "content-length": 64 * 1024 * 1024 })
          const chunk = Buffer.alloc(64 * 1024, "x")
          const more = () => {
            while (written < 64 * 1024 * 1024 && !answer.destroyed) {
              written += chunk.length
              if (!answer.write(chunk)) return void answer.once("drain", more)
            }
          }
          more()
        })
        const { send } = yield* makeTransport()
        const [took, answer] = yield* Effect.timed(send(makeWebhookRequest(makeLocalUrl(receiver.port))))
        assert.deepEqual(answer, { status: 200, retryAfter: null, excerpt: "x".repeat(1024) })
        assert.isBelow(Duration.toMillis(took), 2000)
        yield* Effect.timeout(waitForOpenConnections(receiver, 0), "10 seconds")
        assert.isBelow(written, 32 * 1024 * 1024)
      })
  )

  it.live("a hundred endless responses are cut off, and the process uses little memory", () =>
    Effect.gen(function* () {
      const receiver = yield* listenTcp((socket) => socket.once("data", () => writeEndlessly(socket)))
      const { send } = yield* makeTransport()
      const before = process.memoryUsage().arrayBuffers
      let most = 0
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().arrayBuffers)
      }, 5)
      yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(watch)))
      const answers = yield* Effect.forEach(
        Array.from({ length: 100 }),
        () => send(makeWebhookRequest(makeLocalUrl(receiver.port))),
        {
          concurrency: 100
        }
      )
      assert.isTrue(answers.every(({ status, excerpt }) => status === 200 && excerpt.length === 1024))
      assert.isBelow(most - before, 128 * 1024 * 1024)
      yield* Effect.timeout(waitForOpenConnections(receiver, 0), "10 seconds")
    })
  )

  it.live("the excerpt of a compressed response contains the compressed bytes", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024))
      let accepted: string | undefined
      const { port } = yield* listenHttp((call, answer) => {
        accepted = call.headers["accept-encoding"]
        answer.writeHead(200, { "content-encoding": "gzip" }).end(bomb)
      })
      const { send } = yield* makeTransport()
      const answer = yield* send(makeWebhookRequest(makeLocalUrl(port)))
      assert.strictEqual(answer.status, 200)
      assert.isAtMost(answer.excerpt.length, 1024)
      assert.strictEqual(accepted, "identity")
    })
  )

  it.live("a redirect of a receiver is never followed", () =>
    Effect.gen(function* () {
      const inner = yield* listenHttp((_, answer) => answer.end("secret"))
      for (const status of [301, 302, 303, 307, 308]) {
        const { port } = yield* listenHttp((_, answer) =>
          answer.writeHead(status, { location: makeLocalUrl(inner.port) }).end("gone")
        )
        const { send } = yield* makeTransport()
        assert.deepInclude(yield* send(makeWebhookRequest(makeLocalUrl(port))), { status, excerpt: "gone" })
      }
      assert.strictEqual(inner.connections(), 0)
    })
  )
})
