import { assert, describe, it } from "@effect/vitest"
import * as WebhookTransportSuite from "@partner-commentary/testkit/WebhookTransportSuite"
import { layer } from "@partner-commentary/webhook/NodeWebhookTransport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import {
  findUnusedPort,
  listenHttp,
  listenTcp,
  makeLocalUrl,
  makeTransport,
  makeWebhookRequest,
  waitForOpenConnections
} from "./Receivers.ts"

class Receiver extends Context.Service<Receiver, WebhookTransportSuite.TestReceiver>()(
  "@partner-commentary/webhook/test/Receiver"
) {}

const receiving = Layer.effect(
  Receiver,
  Effect.gen(function* () {
    let present: WebhookTransportSuite.ReceiverResponse = { status: 200 }
    const arrived: Array<WebhookTransportSuite.ReceivedRequest> = []
    const { port } = yield* listenHttp((call, answer) => {
      const chunks: Array<Buffer> = []
      call.on("data", (chunk: Buffer) => chunks.push(chunk))
      call.on("end", () => {
        const url = `http://${call.headers.host}${call.url}`
        arrived.push({ url, headers: call.headers, body: Buffer.concat(chunks).toString() })
        answer.writeHead(present.status, present.headers)
        answer.end(present.body)
      })
    })
    return {
      url: `http://localhost:${port}/webhooks?of=partner`,
      unreachableUrl: makeLocalUrl(yield* findUnusedPort),
      answers: (answer) =>
        Effect.sync(() => {
          present = answer
        }),
      arrived: Effect.sync(() => arrived)
    }
  })
)

WebhookTransportSuite.suite("NodeWebhookTransport", Layer.merge(layer({ allowPrivate: true }), receiving), Receiver)

const ok = listenHttp((call, answer) => call.resume().on("end", () => answer.end("ok")))

describe("Connections to receivers", () => {
  it.live("a stream of events shares connections, which are closed soon after the last event", () =>
    Effect.gen(function* () {
      const receiver = yield* ok
      const { connections, port } = receiver
      const { send } = yield* makeTransport()
      for (let sent = 0; sent < 20; sent++) yield* send(makeWebhookRequest(makeLocalUrl(port)))
      assert.isAtMost(connections(), 2)
      yield* Effect.forEach(Array.from({ length: 200 }), () => send(makeWebhookRequest(makeLocalUrl(port))), {
        concurrency: 5
      })
      assert.isAtMost(connections(), 7)
      yield* Effect.timeout(waitForOpenConnections(receiver, 0), "4 seconds")
    })
  )

  it.live("open connections are closed when the scope closes, even during a request", () =>
    Effect.gen(function* () {
      const hanging = yield* listenHttp((call) => call.resume())
      const idle = yield* ok
      const scope = yield* Scope.make()
      const { send } = yield* Scope.provide(makeTransport(), scope)
      yield* send(makeWebhookRequest(makeLocalUrl(idle.port)))
      const fiber = yield* Effect.forkScoped(Effect.flip(send(makeWebhookRequest(makeLocalUrl(hanging.port)))))
      yield* waitForOpenConnections(hanging, 1)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(fiber)).failure, "reset")
      yield* Effect.timeout(
        Effect.all([waitForOpenConnections(idle, 0), waitForOpenConnections(hanging, 0)]),
        "10 seconds"
      )
    })
  )

  it.live("open connections are closed when the sender is interrupted", () =>
    Effect.gen(function* () {
      const receiver = yield* listenHttp((call) => call.resume())
      const { send } = yield* makeTransport()
      const fiber = yield* Effect.forkScoped(send(makeWebhookRequest(makeLocalUrl(receiver.port))))
      yield* waitForOpenConnections(receiver, 1)
      yield* Fiber.interrupt(fiber)
      yield* Effect.timeout(waitForOpenConnections(receiver, 0), "5 seconds")
    })
  )

  it.live("a connection that the receiver has closed is not reused", () =>
    Effect.gen(function* () {
      const { port, connections, open } = yield* listenHttp((call, answer) => {
        call.resume().on("end", () => {
          answer.end("ok")
          setTimeout(() => call.socket.destroy(), 20)
        })
      })
      const { send } = yield* makeTransport()
      for (let sent = 1; sent <= 5; sent++) {
        yield* send(makeWebhookRequest(makeLocalUrl(port)))
        while (open.size > 0) yield* Effect.sleep("10 millis")
        // The sender's event loop notices the closed connection when it polls the sockets, which happens between two
        // timers.
        for (const _ of [1, 2]) yield* Effect.sleep("10 millis")
        assert.strictEqual(connections(), sent)
      }
    })
  )

  it.live("a connection that breaks during a request fails the request, and no request is sent twice", () =>
    Effect.gen(function* () {
      let requests = 0
      const { port, connections } = yield* listenTcp((socket) =>
        socket.on("data", () => {
          requests += 1
          if (requests === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          else socket.destroy()
        })
      )
      const { send } = yield* makeTransport()
      yield* send(makeWebhookRequest(makeLocalUrl(port)))
      yield* Effect.sleep("20 millis")
      assert.strictEqual((yield* Effect.flip(send(makeWebhookRequest(makeLocalUrl(port))))).failure, "reset")
      assert.deepStrictEqual([requests, connections()], [2, 1])
    })
  )

  it.live("slow connections of one receiver do not delay other receivers", () =>
    Effect.gen(function* () {
      const slow = yield* listenHttp((call) => call.resume())
      const quick = yield* ok
      const { send } = yield* makeTransport()
      yield* Effect.forkScoped(
        Effect.forEach(
          Array.from({ length: 100 }),
          () => Effect.exit(send(makeWebhookRequest(makeLocalUrl(slow.port)))),
          {
            concurrency: "unbounded"
          }
        )
      )
      while (slow.open.size < 100) yield* Effect.sleep("10 millis")
      // The response of the quick receiver arrives while all requests to the slow receiver still wait.
      assert.strictEqual((yield* send(makeWebhookRequest(makeLocalUrl(quick.port)))).status, 200)
      assert.strictEqual(slow.open.size, 100)
    })
  )
})
